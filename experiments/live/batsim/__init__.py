"""Batsim 4: policies as the scheduler behind its protocol (Dutot et al. 2016; batsim.readthedocs.io, protocol)."""
