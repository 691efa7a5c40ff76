#include "../policies/conservative.hpp"
#include "../policies/deadline_backfilling.hpp"
#include "../policies/easy.hpp"
#include "../policies/plan_based.hpp"
#include "../policies/replanned.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"
#include "plan_search.hpp"
#include "policy_kinds.hpp"

namespace planbatch {
namespace {

// The starts, the state that the policy keeps per job, and what it reports of a search.
Tuple<IntArray, IntArray, std::int64_t, double, double> decide(const PolicyKind& kind, const OwnedRound& owned, const Generator& generator) {
    const Random rng = random_of(generator);
    std::vector<std::int64_t> start(owned.size(), never), policy_state = owned.policy_state;
    const GeneratorLock lock(generator);
    const Report report = without_gil([&] {
        if (!owned.size()) return Report{};
        return kind.make(owned.capacities.size(), rng)->decide(owned.view(), {start, policy_state});
    });
    return nb::make_tuple(hand_over(std::move(start)), hand_over(std::move(policy_state)), report.evaluations, report.seed_cost, report.cost);
}

}  // namespace

void bind_policies(nb::module_& m) {
    nb::class_<PolicyKind>(m, "Policy", "What decides rounds.").def("decide", &decide, "round"_a, "generator"_a);
    bind_ordered<Easy>(m, "Easy", "EASY backfilling (Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001).");
    bind_ordered<Replanned>(m, "Replanned", "Decode the queue's order; earlier reservations are not kept.");
    bind_value<PolicyOf<Conservative>, PolicyKind>(m, "Conservative", "Conservative backfilling that keeps its reservations (Mu'alem and Feitelson, TPDS 2001).");
    using Kind = PolicyOf<PlanBased, PlanSearch>;
    const auto shared = [](const Kind& kind, auto visit) { visit(std::get<0>(kind.arguments()).objective); };
    auto plan_based = nb::class_<Kind, PolicyKind>(m, "PlanBased", sharing<Kind>(shared), "Annealing searches for the plan to act on (Zheng et al. 2016).")
        .def("__init__", [](Kind* self, std::shared_ptr<const Objective> objective, const std::vector<double>& setting,
                            std::vector<std::int64_t> first_plans, std::size_t evaluations, bool promised, std::size_t scenarios, double risk) {
            new (self) Kind(plan_search(std::move(objective), setting, std::move(first_plans), evaluations, promised, scenarios, risk));
        }, "objective"_a, "setting"_a, "first_plans"_a, "evaluations"_a, "promised"_a, "scenarios"_a, "risk"_a);
    by_arguments(plan_based, [](const Kind& kind) {
        const PlanSearch& s = std::get<0>(kind.arguments());
        return nb::make_tuple(s.objective, hashable(s.setting.numbers()), hashable(s.first_plans), s.evaluations, s.promised, s.scenarios, s.risk);
    });
    bind_queue_policies(m);
    nb::enum_<UrgentJobs>(m, "UrgentJobs", "How jobs become urgent that would be late: in the algorithm of 2017, and in that of 2016.")
        .value("ONE_AT_A_TIME", UrgentJobs::one_at_a_time)
        .value("ALL_AT_ONCE", UrgentJobs::all_at_once);
    nb::enum_<AdvanceOrder>(m, "AdvanceOrder", "The order in which definitive reservations move forward after an early end.")
        .value("FCFS", AdvanceOrder::fcfs)
        .value("TOGETHER", AdvanceOrder::together)
        .value("AS_JOINED", AdvanceOrder::as_joined)
        .value("REGULAR_FIRST", AdvanceOrder::regular_first);
    using Deadline = PolicyOf<DeadlineBackfilling, UrgentJobs, AdvanceOrder, std::vector<std::int64_t>>;
    bind_value<Deadline, PolicyKind>(m, "DeadlineBackfilling", "Jobs with a deadline make room for those without (N'takpé and Suter, 2016 and 2017).",
                                 "urgent_jobs"_a = UrgentJobs::one_at_a_time, "advance_order"_a = AdvanceOrder::fcfs, "working_time"_a = std::vector<std::int64_t>());
}

}  // namespace planbatch
