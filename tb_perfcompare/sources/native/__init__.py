"""The compiled trace scanner and its source; the compiled module is missing if there was no C compiler."""
