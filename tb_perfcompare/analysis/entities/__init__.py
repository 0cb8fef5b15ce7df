"""What is counted: operators, modules, kernels and other device work, collectives, Python functions."""
