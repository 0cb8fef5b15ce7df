"""One module per group of routes: from a request to a response."""
