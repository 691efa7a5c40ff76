"""A real cluster (experimental): its jobs, plans for them, and a journal of both."""
