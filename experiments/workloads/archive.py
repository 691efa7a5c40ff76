"""Logs of the Parallel Workloads Archive that can be fetched by name, and the folder that holds them."""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from platformdirs import user_cache_path

#: Address of the archive, above its folders.
ARCHIVE_URL = "https://www.cs.huji.ac.il/labs/parallel/workload"


@dataclass(frozen=True)
class ArchiveLog:
    """A log of the archive."""

    name: str  # its name in the archive: the file's name without endings
    folder: str  # the folder of the archive that holds it
    capacity: int  # processors of the machine
    #: Digest of the log's text, not of the compressed file: compressing it again changes nothing. ``None`` if it is not
    #: known; then a download cannot be verified.
    sha256: str | None = None

    @property
    def path(self) -> str:
        """The file's path below the archive's address."""
        return f"{self.folder}/{self.name}.swf.gz"


#: Name, folder, processors, digest; logs without a digest are fetched without verification.
_LOGS = """
KTH-SP2-1996-2.1-cln l_kth_sp2 100 fba36494c4e4257f72182e8b629ebb0bcb054b3b82851ef957445bd627adcc87
SDSC-SP2-1998-4.2-cln l_sdsc_sp2 128 2bb635f4b5793f52bd49ccb8fd913d95f9c5be6346925162cadcaf0117e28cf2
SDSC-BLUE-2000-4.2-cln l_sdsc_blue 1152 13892839f430583231a14bb811fd50a31b5b529eb37faacdbbefb71e73390e3e
SDSC-DS-2004-2.1-cln l_sdsc_ds 1664 76814a412fa415e68ffb8cc0ae801c870988e5577e60275588050332f6b1e690
SDSC-Par-1996-3.1-cln l_sdsc_par 400 fcb46fa6462b7ac460963025749f604f28b2e813101edd082a720842e80a7aa8
HPC2N-2002-2.2-cln l_hpc2n 240 77b8993c73ae438385f6c0015708251f52dc316267b03ac19a406fbea2802afa
LANL-CM5-1994-4.1-cln l_lanl_cm5 1024 4766a62dabcc7403ec0a55534aff297203e692ddbf6637bd40100a3800f6354a
LLNL-Atlas-2006-2.1-cln l_llnl_atlas 9216 8b3aaab739fa0bda8abaccc37c207d0b19d9d147b19e7f47a1641133a56fd07f
LLNL-Thunder-2007-1.1-cln l_llnl_thunder 4008 aad5a3120a6adf0342d46fb4830e022121cdfbd3de9ecdd9cf10145b8864b6a5
NASA-iPSC-1993-3.1-cln l_nasa_ipsc 128 9d997a2c20a7f7b0b6d81638d756ce8b2c524c4f2e9ec78da36001743ca33d76
OSC-Clust-2000-3.1-cln l_osc 178 0ed54b81ccb10b11fbead557af8a37dd135e07e27756f1016c80ebceb7c8f79a
Sandia-Ross-2001-1.1-cln l_sandia_ross 1524 acee6b96aa76f815d9a6a81ee6d3e3026f462b6e0c340f9f4ef465e05b3c22b3
ANL-Intrepid-2009-1 l_anl_int 163840
CEA-Curie-2011-2.1-cln l_cea_curie 93312
CTC-SP2-1996-3.1-cln l_ctc_sp2 338
METACENTRUM-2009-2 l_metacentrum 806
"""
#: Name → log.
CATALOGUE = {
    name: ArchiveLog(name, folder, int(capacity), *digest)
    for name, folder, capacity, *digest in map(str.split, _LOGS.split("\n")[1:-1])
}


def cache_folder() -> Path:
    """Return the folder of the user's cache for fetched logs; it may not exist yet."""
    return user_cache_path("planbatch") / "workloads"


def plain_name(name: str) -> str:
    """Strip the endings .gz and .swf, which people paste along with a name."""
    return name.removesuffix(".gz").removesuffix(".swf")


def named_log(name: str) -> ArchiveLog | None:
    """Return the log of a name, if there is one; upper and lower case, .swf and .gz do not matter."""
    key = plain_name(name).lower()
    return next((log for candidate, log in CATALOGUE.items() if candidate.lower() == key), None)


def find_log(name: str) -> ArchiveLog:
    """Find a log of the archive by its name; upper and lower case, .swf and .gz do not matter.

    Raises ``ValueError`` if no log has this name; the message suggests the nearest ones.
    """
    if (log := named_log(name)) is not None:
        return log
    near = near_names(name)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(CATALOGUE)}"
    raise ValueError(f"there is no log {name!r} in the catalogue; {hint}")


def near_names(name: str) -> list[str]:
    """List names of the catalogue like ``name``: those that begin with it, else near ones."""
    prefix = plain_name(name).lower()
    lowered = {candidate.lower(): candidate for candidate in CATALOGUE}
    matches = [candidate for candidate in lowered if prefix and candidate.startswith(prefix)]
    # A typing error is close to one name only; for a vaguer name, list every candidate.
    for most, cutoff in ((1, 0.8), (3, 0.5)):
        matches = matches or get_close_matches(prefix, lowered, n=most, cutoff=cutoff)
    return [lowered[match] for match in matches]


def cached_path(log: ArchiveLog, folder: Path | None = None) -> Path:
    """Return the path of a fetched log, whether or not it exists."""
    return (folder or cache_folder()) / f"{log.name}.swf.gz"
