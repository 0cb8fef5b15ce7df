"""Contents of input files as read: one type for each kind of recording."""
