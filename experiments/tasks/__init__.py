"""Running tasks in this process, in threads, in processes or on clusters; independent of replays."""
