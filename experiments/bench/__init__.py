"""``planbatch bench``: how fast the kernels are, as ratios to references run beside them."""
