"""``planbatch batsim``: a policy as the scheduler of a Batsim simulation."""

import click

from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_options_without
from planbatch.experiments.cli.shell import say
from planbatch.experiments.cli.slurm.flags import Duration


@click.command()
@click.argument("endpoint", default="tcp://127.0.0.1:28000")
@click.option(
    "--policy",
    "name",
    default="plan-wait",
    show_default=True,
    metavar="NAME",
    help="What decides; planbatch list policies has all, your own are FILE.py:NAME.",
)
@policy_options_without("policy", "estimates", "deadlines")
@click.option("--contiguous", is_flag=True, help="Give jobs neighbouring machines only.")
@click.option(
    "--default-walltime",
    type=Duration(),
    default="7d",
    show_default=True,
    metavar="TIME",
    help="Walltime of jobs that have none.",
)
def command(
    endpoint: str, name: str, chosen: PolicyOptions, contiguous: bool, default_walltime: float
) -> int:  # fmt: skip
    """Serve one simulation of Batsim 4 at ENDPOINT, by default tcp://127.0.0.1:28000.

    Start Batsim with -s ENDPOINT. Jobs that never fit are rejected; the schedule is in Batsim's own output, which
    planbatch convert reads.
    """
    chosen.check()
    policy = chosen.make(name, chosen.promise)

    from planbatch.experiments.live.batsim.scheduler import BatsimOptions
    from planbatch.experiments.live.batsim.serve import serve

    options = BatsimOptions(contiguous, int(default_walltime), chosen.seed)
    served = serve(endpoint, policy, options,
                   ready=lambda where: say(f"planbatch: waiting for Batsim at {where}"))  # fmt: skip
    say(
        f"planbatch: {served.messages:,} messages answered; the simulation ended at {served.time:.0f} s"
    )
    return 0
