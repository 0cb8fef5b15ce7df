"""Worker processes that read files, and their memory limits."""
