"""What readers take away, written: whole or not at all, with units, as LaTeX, in both shades."""
