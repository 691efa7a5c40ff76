"""``planbatch batsim``: a policy as the scheduler of a Batsim simulation."""

from dataclasses import replace
from typing import Annotated
from urllib.parse import urlsplit

from planbatch.experiments.cli.flags import Json, policy_flag
from planbatch.experiments.cli.parameters import CLUSTER, argument, group
from planbatch.experiments.cli.policy_flags import PolicyOptions, policy_flags
from planbatch.experiments.cli.shell import notify, print_json
from planbatch.experiments.cli.verb import verb
from planbatch.experiments.live.batsim.scheduler import BatsimOptions


@verb
def command(
    *,
    endpoint: Annotated[str, argument()] = "tcp://127.0.0.1:28000",
    name: Annotated[str, policy_flag("What decides")] = "plan-wait",
    policy_options: Annotated[PolicyOptions, policy_flags("policy", "estimates", "deadlines")],
    options: Annotated[BatsimOptions, group(BatsimOptions, panel=CLUSTER)],
    as_json: Json = False,
) -> int:
    """Serve one simulation of Batsim 4 at ENDPOINT, by default tcp://127.0.0.1:28000 (experimental).

    Start Batsim with -s ENDPOINT. Jobs that never fit are rejected; the schedule is in Batsim's own output, which
    planbatch convert reads.
    """
    check_port(endpoint)
    policy = policy_options.single_policy(name)

    from planbatch.experiments.live.batsim.serve import serve

    options = replace(options, seed=policy_options.seed)
    counts = serve(endpoint, policy, options, ready=lambda where: notify(f"planbatch: waiting for Batsim at {where}"))
    if as_json:
        print_json({"messages": counts.messages, "time": counts.time})
    notify(f"planbatch: {counts.messages:,} messages answered; the simulation ended at {counts.time:.0f} s")
    return 0


def check_port(endpoint: str) -> None:
    """Raise ``ValueError`` if an endpoint names a port that does not exist, which zmq would take for another."""
    try:
        _ = urlsplit(endpoint).port
    except ValueError as error:
        raise ValueError(f"{endpoint}: {str(error)[0].lower()}{str(error)[1:]}") from None
