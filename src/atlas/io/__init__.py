"""Write the files for readers: whole or not at all, with units, as LaTeX, in light and dark."""
