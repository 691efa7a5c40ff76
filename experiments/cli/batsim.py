"""``planbatch batsim``: a policy as the scheduler of a Batsim simulation."""

import click

from planbatch.experiments.cli.flags import default_limit_option, json_option, policy_option
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_options_without
from planbatch.experiments.cli.shell import print_json, say
from planbatch.experiments.cli.verb import CLUSTER, flag, verb


@verb
@click.argument("endpoint", default="tcp://127.0.0.1:28000")
@policy_option("What decides")
@policy_options_without("policy", "estimates", "deadlines")
@flag("--contiguous", is_flag=True, panel=CLUSTER, help="Give jobs neighbouring machines only.")
@default_limit_option("Time limit of jobs that have none.")
@json_option
def command(
    endpoint: str,
    name: str,
    chosen: PolicyOptions,
    contiguous: bool,
    default_limit: float,
    as_json: bool,
) -> int:
    """Serve one simulation of Batsim 4 at ENDPOINT, by default tcp://127.0.0.1:28000.

    Start Batsim with -s ENDPOINT. Jobs that never fit are rejected; the schedule is in Batsim's own output, which
    planbatch convert reads.
    """
    policy = chosen.single_policy(name)

    from planbatch.experiments.live.batsim.scheduler import BatsimOptions
    from planbatch.experiments.live.batsim.serve import serve

    options = BatsimOptions(contiguous, int(default_limit), chosen.seed)
    served = serve(endpoint, policy, options,
                   ready=lambda where: say(f"planbatch: waiting for Batsim at {where}"))  # fmt: skip
    if as_json:
        print_json({"messages": served.messages, "time": served.time})
    say(
        f"planbatch: {served.messages:,} messages answered; the simulation ended at {served.time:.0f} s"
    )
    return 0
