"""Programs recorded with torch on the CPU, with changes that must be found and named."""
