"""Start jobs as forks of a warm process, which has already imported what they need."""
