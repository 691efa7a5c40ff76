"""A real cluster: what it runs and what waits, plans for it, and a journal of both."""
