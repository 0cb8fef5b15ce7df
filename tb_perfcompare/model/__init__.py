"""Values without behaviour: contents of files (recording) and what they mean (summary). numpy and standard library
only."""
