"""``planbatch slurm observe``: the present state of a cluster, as a round file."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from planbatch.experiments.cli.flags import Json, out_flag
from planbatch.experiments.cli.parameters import flag
from planbatch.experiments.cli.shell import notify, print_json, print_table
from planbatch.experiments.cli.slurm.flags import Cluster
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.common.paths import check_file


@verb
def command(
    *,
    cluster: Cluster,
    out: Annotated[Path, out_flag("The round file; - for standard output.", "FILE")] = Path("out/round.json"),
    keep: Annotated[Path | None, flag("Save Slurm's own output there as well, for --from.", "FOLDER")] = None,
    everything: Annotated[bool, flag(
        "List every job that is left out, not only the first ones.", name="--all")] = False,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write the running and pending jobs as a round file, for planbatch round.

    What is not in it is listed: jobs that are held, wait for others or for their time, are not ours to plan, or never
    start; nodes that are not usable; and what was assumed. Nothing is ever written to the cluster.
    """
    from planbatch.experiments.figures.live_table import observation_lines, remark_table
    from planbatch.experiments.live.slurm.observe import observe
    from planbatch.experiments.rounds.file import round_to, write_round

    if str(out) != "-":
        check_file("out", out)
    observation = observe(cluster.snapshot(keep), cluster.options)
    if str(out) == "-":
        print_json(round_to(observation.problem, observation.source))
        return
    write_round(out, observation.problem, observation.source)
    remarks = {"left out": observation.left_out, "noted": observation.noted}
    if as_json:
        listed = {name.replace(" ", "_"): [asdict(remark) for remark in group] for name, group in remarks.items()}
        print_json({"file": str(out), "waiting": len(observation.problem), **listed})
    else:
        print_table(*observation_lines(observation))
        for title, group in remarks.items():
            if group:
                print_table(remark_table(title, group, None if everything else 3))
    notify(f"the round is in {out}; plan it with: planbatch round {out}")
