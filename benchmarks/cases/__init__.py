"""One module per benchmark: its name, its docstring and `run(setting)`."""
