"""The compiled reader of traces, with what it is made from; absent where there was no C compiler."""
