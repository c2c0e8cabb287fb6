"""The referee: published reference systems, and a comparison of results with their values."""
