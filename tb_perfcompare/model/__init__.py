"""Plain values: contents of files (recording) and what they mean (summary). numpy and the standard library only."""
