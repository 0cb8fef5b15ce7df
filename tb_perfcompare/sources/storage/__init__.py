"""Bytes: files of this machine and of stores, opened safely, in blocks, as text or CSV columns."""
