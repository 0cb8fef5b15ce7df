"""One module per kind of cause: from a pair to causes."""
