"""Drawing a finished comparison: JSON, text, Markdown, CSV, HTML. Nothing is computed here beyond unit scaling."""
