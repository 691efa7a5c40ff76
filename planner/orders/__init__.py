"""Orders of waiting jobs: sort keys, their names, and the grammar of names."""
