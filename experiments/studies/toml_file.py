"""Reading an experiment from a TOML file; errors name the line."""

from pathlib import Path

from planbatch.experiments.studies.spec import Experiment
from planbatch.experiments.studies.toml_keys import TOP_KEYS
from planbatch.experiments.studies.toml_reader import ExperimentFileError, FileReader, listed


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from a TOML file; docs/experiments.md lists the keys.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    OSError
        If the file cannot be read.
    ExperimentFileError
        If a key, a policy, a log or a value is not known; the message has its line and the nearest name.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> import planbatch as pb
    >>> text = '''
    ... [[workload]]
    ... source = "embedded"
    ... [[policy]]
    ... name = "easy"
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "grid.toml")
    ...     _ = file.write_text(text)
    ...     grid = pb.read_experiment(file)
    >>> grid.policies[0].name
    'easy'
    """
    reader = FileReader(path)
    if isinstance(reader.document.get("seeds"), str):
        raise ExperimentFileError(
            f"{reader.where('', 0, 'seeds')}: seeds is {reader.document['seeds']!r}; "
            "give a list of whole numbers, such as [0, 1, 2]"
        )
    top = reader.checked(reader.document, TOP_KEYS, "", 0)
    for table in ("workload", "policy"):
        if table not in top:
            raise ExperimentFileError(f"{reader.path}: there is no [[{table}]]; give at least one")
    if {"evaluations", "seconds"} <= top.keys():
        where = reader.where("", 0, "seconds")
        raise ExperimentFileError(f"{where}: give either evaluations or seconds")
    workloads = [
        spec for index, entry in enumerate(listed(top["workload"])) for spec in reader.workloads(entry, index, top)
    ]
    policies = [
        spec for index, entry in enumerate(listed(top["policy"])) for spec in reader.policies(entry, index, top)
    ]
    seeds = top.get("seeds", [0])
    if not isinstance(seeds, list):
        several = ", ".join(map(str, range(max(seeds, 1))))
        raise ExperimentFileError(
            f"{reader.where('', 0, 'seeds')}: seeds is a list: [{seeds}] for the seed {seeds}, "
            f"[{several}] for {max(seeds, 1)} of them"
        )
    spans = reader.spans(top["spans"]) if "spans" in top else ()
    metrics = reader.metrics(top.get("metrics", []), "metrics")

    def make() -> Experiment:
        title, seeding = top.get("title", reader.path.stem), top.get("seeding", "cell")
        return Experiment(workloads, policies, seeds, title, seeding, spans, metrics, where=str(reader.path))

    return reader.located(make, "", 0, "seeding" if "seeding" in top else "seeds")
