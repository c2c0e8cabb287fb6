"""Read and validate what users write as typed values, and name the line of each fault."""
