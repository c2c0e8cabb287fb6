"""What the rules run: one file a rule, which reads its spec and its data and writes its files."""
