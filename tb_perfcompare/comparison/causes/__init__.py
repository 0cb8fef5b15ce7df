"""Why a step takes longer or less: rules that name one cause each. docs/findings.md has a section for every rule."""
