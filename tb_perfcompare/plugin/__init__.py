"""The TensorBoard plugin: loader.py is the entry point, plugin.py has the routes, http_api.md documents them."""
