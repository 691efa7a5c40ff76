"""Running tasks: here, in threads, in processes, on clusters. Knows nothing of replays."""
