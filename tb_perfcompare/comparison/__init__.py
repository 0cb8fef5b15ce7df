"""Two summaries to one comparison."""
