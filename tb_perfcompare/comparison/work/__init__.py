"""Work of operators: FLOPs and bytes joined to rows, rates, shares of the device's peak, the split of a change."""
