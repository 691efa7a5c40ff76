"""The logs of N'takpé and Suter, cleaned as in Section 3 of the paper of 2017."""

from planbatch.experiments.workloads.swf.log import SwfLog
from planbatch.experiments.workloads.transform import round_sizes
from planbatch.planner.model import Workload

#: The paper's name → the log's.
LOGS = {
    "SDSC-BLUE": "SDSC-BLUE-2000-4.2-cln",
    "SDSC-DS": "SDSC-DS-2004-2.1-cln",
    "HPC2N": "HPC2N-2002-2.2-cln",
    "ANL-Intrepid": "ANL-Intrepid-2009-1",
}
INTERACTIVE = "interactive"
#: Log → the smallest number of processors that its machine allocates (Section 2).
PARTITIONS = {LOGS["ANL-Intrepid"]: 256}


def cleaned(log: SwfLog) -> Workload:
    """Keep the jobs that the paper of 2017 counts: 157,604, 64,715 and 202,871 of the first three.

    Discarded are jobs "that logged a negative execution time or were allocated a negative number of
    processors", and interactive jobs (Section 3). The totals of Table 2 show what that means:

    - Run times of 0 and no processors are discarded as well.
    - SDSC-BLUE: jobs of the queue ``interactive``.
    - SDSC-DS: everything outside partition 2, the batch partition of 8-way nodes; that leaves out
      the interactive partition, but also the batch jobs of the 32-way nodes.
    - The other logs have no interactive queue.

    The machine keeps all its processors. On ANL-Intrepid, sizes "are rounded up to the closest multiple
    of the partition size"; of its two, 256 and 2,048 cores, this is the smaller one: the paper describes
    clusters as sets "of the smallest allocable number of cores".
    """
    columns = log.columns
    keep = (columns["runtime"] > 0) & (columns["used_procs"] > 0)
    partitions = log.header.partitions
    inside = [number for number, name in partitions.items() if INTERACTIVE in name.lower()]
    if inside:
        batch = min(number for number in partitions if number not in inside)
        keep &= columns["partition"] == batch
    queue = log.header.queue_number(INTERACTIVE)
    if queue is not None:
        keep &= columns["queue"] != queue
    workload = log.workload(keep=keep)
    partition = PARTITIONS.get(log.name)
    return workload if partition is None else round_sizes(workload, partition)
