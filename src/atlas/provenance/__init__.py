"""The provenance of files: crates, manifests, and tracing a figure back to how it was made."""
