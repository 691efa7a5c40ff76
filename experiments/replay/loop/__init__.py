"""The event loop of the replay, compiled or interpreted."""
