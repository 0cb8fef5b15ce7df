"""The strict report: Markdown, CSV, its JSON and its banner."""
