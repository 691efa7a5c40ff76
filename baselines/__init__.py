"""The policies: what a scheduler does in a round."""

from typing import TYPE_CHECKING

from planbatch import lazy

if TYPE_CHECKING:
    from planbatch.baselines.catalogue import POLICIES as POLICIES, make_policy as make_policy
    from planbatch.baselines.plan_based import PlanBased as PlanBased
    from planbatch.baselines.policy import CorePolicy as CorePolicy, Policy as Policy
    from planbatch.baselines.promise import Promise as Promise
    from planbatch.baselines.working_time import Calendar as Calendar, WorkingTimeBackfilling as WorkingTimeBackfilling
    from planbatch.baselines.stepwise import Decision as Decision, StepwisePolicy as StepwisePolicy

lazy.offer(__name__)
