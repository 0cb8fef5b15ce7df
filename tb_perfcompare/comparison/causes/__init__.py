"""Causes of a faster or slower step: rules that name one cause each (docs/method/findings.md)."""
