"""Jobs of many ranks: waiting, and changes of one rank relative to the others."""
