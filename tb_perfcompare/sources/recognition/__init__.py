"""How files begin: which format a file has, before it is read."""
