"""Renders the strict report as Markdown, CSV, JSON and text, with its banner."""
