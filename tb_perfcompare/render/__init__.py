"""Renders finished comparisons as JSON, text, Markdown, CSV and HTML; computes nothing but unit scaling."""
