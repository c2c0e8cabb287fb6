"""What users write, as typed values: read, validated, and refused with the line that is wrong."""
