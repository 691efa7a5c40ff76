"""A throw-away Slurm cluster on loopback: a controller and emulated nodes on one machine, no systemd, no cgroups."""
