"""Tables for the terminal and pictures for files."""
