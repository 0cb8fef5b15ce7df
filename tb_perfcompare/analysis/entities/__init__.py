"""Counted entities: operators, modules, kernels and other device work, collectives, Python functions."""
