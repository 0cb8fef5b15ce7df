"""Names of operators and kernels: short, joined into one text, mangled."""
