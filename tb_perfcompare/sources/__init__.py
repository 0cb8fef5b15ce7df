"""From files to recordings: finding runs, and a reader for each format."""
