"""The referee: reference systems that anybody can read, and how results stand to their values."""
