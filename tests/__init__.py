"""The tests; files are named after the modules that they test."""
