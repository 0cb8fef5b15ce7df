"""What of one side is what of the other: names, operators, kernels, events of a step."""
