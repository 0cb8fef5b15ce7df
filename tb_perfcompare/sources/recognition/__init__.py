"""How files begin: what tells one format from another before it is read."""
