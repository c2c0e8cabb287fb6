"""Jobs that start warm, as forks of a process that has imported what they need."""
