"""The strict report: reading per-cycle tables, figures, drawing, command."""
