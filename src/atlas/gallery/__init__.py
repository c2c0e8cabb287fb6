"""The gallery: one static page per paper, a page of claims and an index, from the run's
products."""
