"""The compiled passes over columns and their sources; not built without a C compiler."""
