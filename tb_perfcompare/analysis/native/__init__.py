"""The compiled passes over columns, with what they are made from; absent where there was no C compiler."""
