"""``planbatch bench``: the speed of the kernels, as ratios to references measured at the same time."""
