"""The compiled core: kernels on plain arrays. Public classes stand above this folder."""
