"""The gallery: one static page a paper, a page of claims and an index, from what was made."""
