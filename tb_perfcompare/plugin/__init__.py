"""The TensorBoard tab: loader.py is the entry point, plugin.py has the routes, http_api.md describes them."""
