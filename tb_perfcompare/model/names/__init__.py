"""Names of operators and kernels: what they are called in short, joined, or mangled."""
