"""A folder of results as one page, with its pictures and tables."""
