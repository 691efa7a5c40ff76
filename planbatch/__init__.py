"""Plan-based batch scheduling: give every waiting job a start time, and search for the best such plan."""
