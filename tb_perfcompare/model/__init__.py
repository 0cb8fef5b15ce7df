"""Values only: what a file says (recording), what it means (summary). numpy and the standard library."""
