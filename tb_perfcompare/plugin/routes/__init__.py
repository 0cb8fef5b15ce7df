"""The routes' handlers, from request to response, one module per group."""
