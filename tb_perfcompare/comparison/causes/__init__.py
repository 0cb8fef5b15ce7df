"""Why a step became slower or faster: rules that name one cause each (docs/method/findings.md)."""
