"""A policy behind a ZeroMQ socket: Batsim requests (REQ), planbatch replies (REP)."""

from collections.abc import Callable
from dataclasses import dataclass

from planbatch.baselines.policy import Policy
from planbatch.experiments.live.batsim.protocol import parse_message
from planbatch.experiments.live.batsim.scheduler import BatsimOptions, BatsimScheduler

#: Period of the check whether to stop, while no request comes (ms).
POLL = 200


@dataclass(frozen=True)
class SimulationCounts:
    """Counts of a served simulation."""

    messages: int  # messages that were answered
    time: float  # the simulated time of the last one (s)


def serve(
    endpoint: str, policy: Policy, options: BatsimOptions | None = None, *, ready: Callable[[str], None] | None = None
) -> SimulationCounts:
    """Serve one simulation, until Batsim says that it is over.

    ``endpoint`` is where to listen, such as ``tcp://127.0.0.1:28000``, with port ``*`` for any that is free; ``ready``
    is called with it when Batsim may be started. ``ValueError`` if pyzmq is not installed, the endpoint is none, or a
    message cannot be answered; ``OSError`` if the endpoint is taken, or Batsim goes away before its simulation is over.
    """
    try:
        import zmq
    except ImportError:
        raise ValueError("batsim: pyzmq is not installed; run: pip install 'planbatch[batsim]'") from None
    scheduler = BatsimScheduler(policy, options)
    messages, time = 0, 0.0
    context = zmq.Context()
    socket = context.socket(zmq.REP)
    socket.linger = 1000
    disconnections = socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
    try:
        try:
            socket.bind(endpoint)
        except zmq.ZMQError as error:
            raise OSError(f"{endpoint}: cannot listen there ({error})") from None
        if ready is not None:
            ready(socket.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0"))
        while not scheduler.ended:
            if not socket.poll(POLL):
                if messages and disconnections.poll(0):
                    raise OSError(f"{endpoint}: Batsim disconnected at {time:g} s of its simulation; start both again")
                continue
            message = parse_message(socket.recv())
            socket.send(scheduler.answer(message))
            messages, time = messages + 1, message.now
    finally:
        socket.disable_monitor()
        disconnections.close()
        socket.close()
        context.term()
    return SimulationCounts(messages, time)
