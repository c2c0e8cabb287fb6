"""What config may say: blocks, the words that they share, and what drawings ask for."""
