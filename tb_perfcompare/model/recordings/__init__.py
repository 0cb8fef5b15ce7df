"""What readers give: one type per kind of recording."""
