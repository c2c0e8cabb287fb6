"""From data to figures: one module per kind of drawing, each with a pure function `draw`.

`draw(figure, series, width)` takes the figure's spec, its series by name and a width in inches, and
returns a matplotlib Figure. Colours come from the style's cycle, C0 to C6; a marker, a dash or a
hatch always repeats the information in a colour.
"""
