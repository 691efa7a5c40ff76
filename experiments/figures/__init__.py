"""Tables for the terminal and pictures for files, notebooks and the page."""
