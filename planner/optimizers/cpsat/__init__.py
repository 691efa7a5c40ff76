"""CP-SAT: the model, the optimizer, and windows for large neighbourhood search."""
