"""Jobs of many ranks: waiting, changes of one rank beyond the others."""
