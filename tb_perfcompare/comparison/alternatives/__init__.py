"""What could settle an open verdict: other steps, other captures, more recordings."""
