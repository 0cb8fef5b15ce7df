"""Work of operators: FLOPs and bytes of rows, rates, shares of the device's peak, and the split of a change."""
