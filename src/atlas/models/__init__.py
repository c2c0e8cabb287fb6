"""From a block of YAML to an object of the library, and nothing else."""
