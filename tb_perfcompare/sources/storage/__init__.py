"""Access to bytes: local and remote files, opened safely, in blocks, as text or as CSV columns."""
