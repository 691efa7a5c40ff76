// Deadline-based backfilling.
#include "../policies/deadline_backfilling.hpp"
#include "bindings.hpp"
#include "policy_kinds.hpp"

namespace planbatch {

void bind_deadline_policies(nb::module_& m) {
    nb::enum_<UrgentJobs>(m, "UrgentJobs", "How jobs become urgent that would be late: in the algorithm of 2017, and in that of 2016.")
        .value("ONE_AT_A_TIME", UrgentJobs::one_at_a_time)
        .value("ALL_AT_ONCE", UrgentJobs::all_at_once);
    nb::enum_<Turns>(m, "Turns", "The order in which definitive reservations move forward after an early end.")
        .value("FCFS", Turns::fcfs)
        .value("TOGETHER", Turns::together)
        .value("AS_JOINED", Turns::as_joined)
        .value("REGULAR_FIRST", Turns::regular_first);
    using Kind = PolicyOf<DeadlineBackfilling, UrgentJobs, Turns, std::vector<std::int64_t>>;
    bind_value<Kind, PolicyKind>(m, "DeadlineBackfilling", "Jobs with a deadline make room for those without (N'takpé and Suter, 2016 and 2017).",
                                 "urgent_jobs"_a = UrgentJobs::one_at_a_time, "turns"_a = Turns::fcfs, "working_time"_a = std::vector<std::int64_t>());
}

}  // namespace planbatch
