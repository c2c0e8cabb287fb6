"""Where a file comes from: crates, manifests, and the way back from a figure to its making."""
