"""Files: written whole or not at all, compressed by their name, locked."""
