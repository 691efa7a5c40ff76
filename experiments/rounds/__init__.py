"""Real scheduling rounds: captured, kept as files, and searched by several optimizers."""
