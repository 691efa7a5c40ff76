"""The policies: what a scheduler does in a round."""

from typing import TYPE_CHECKING

from planbatch.lazy import offer

if TYPE_CHECKING:
    from planbatch.baselines.balanced import decide_bb as decide_bb, decide_ibb as decide_ibb
    from planbatch.baselines.catalogue import POLICIES as POLICIES, make_policy as make_policy
    from planbatch.baselines.conservative import decide_conservative as decide_conservative
    from planbatch.baselines.dbf import decide_dbf as decide_dbf, decide_dbf_2016 as decide_dbf_2016
    from planbatch.baselines.easy import decide_easy as decide_easy
    from planbatch.baselines.fcfs import (
        decide_best_fit as decide_best_fit,
        decide_fcfs as decide_fcfs,
    )
    from planbatch.baselines.lookahead import decide_los as decide_los
    from planbatch.baselines.plan_based import PlanBased as PlanBased
    from planbatch.baselines.policy import CompiledPolicy as CompiledPolicy, Policy as Policy
    from planbatch.baselines.promise import Promise as Promise
    from planbatch.baselines.relaxed import decide_relaxed as decide_relaxed
    from planbatch.baselines.replanned import decide_replanned as decide_replanned
    from planbatch.baselines.reservations import (
        decide_first_reserved as decide_first_reserved,
        decide_selective as decide_selective,
    )
    from planbatch.baselines.rollouts.policy import decide_rollouts as decide_rollouts
    from planbatch.baselines.slack import SlackBased as SlackBased, decide_slack as decide_slack
    from planbatch.baselines.working_time import (
        Calendar as Calendar,
        WorkingTimeBackfilling as WorkingTimeBackfilling,
    )

offer(__name__)
