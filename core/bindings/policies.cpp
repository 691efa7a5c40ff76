#include "../policies/backfill_balanced.hpp"
#include "../policies/conservative.hpp"
#include "../policies/deadline_backfilling.hpp"
#include "../policies/easy.hpp"
#include "../policies/first_reserved.hpp"
#include "../policies/improved_backfill_balanced.hpp"
#include "../policies/lookahead.hpp"
#include "../policies/plan_based.hpp"
#include "../policies/relaxed.hpp"
#include "../policies/replanned.hpp"
#include "../policies/selective.hpp"
#include "../policies/serve.hpp"
#include "../policies/slack_based.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"
#include "plan_search.hpp"

namespace planbatch {
namespace {

// The starts, what the policy notes about the jobs, and what it reports of a search.
nb::tuple decide(const PolicyKind& kind, const OwnedRound& owned, nb::handle generator) {
    const Random rng = random_of(generator);
    std::vector<std::int64_t> start(owned.size(), never), notes = owned.notes;
    const GeneratorLock lock(generator);
    const Report report = without_gil([&] {
        if (!owned.size()) return Report{};
        return kind.make(owned.capacities.size(), rng)->decide(owned.view(), {start, notes});
    });
    return nb::make_tuple(hand_over(std::move(start)), hand_over(std::move(notes)), report.evaluations, report.seed_cost, report.cost);
}

template <template <std::size_t> class Made>
class OrderedKind : public PolicyOf<Made, std::shared_ptr<const QueueOrder>> {
  public:
    explicit OrderedKind(std::shared_ptr<QueueOrder> order) : PolicyOf<Made, std::shared_ptr<const QueueOrder>>(std::move(order)) {}
};
// A policy whose only parameter is the order of the queue.
template <template <std::size_t> class Made>
void bind_ordered(nb::module_& m, const char* name, const char* about) {
    auto cls = nb::class_<OrderedKind<Made>, PolicyKind>(m, name, about).def(nb::init<std::shared_ptr<QueueOrder>>(), "order"_a);
    by_arguments(cls, [](const OrderedKind<Made>& p) { return nb::make_tuple(std::const_pointer_cast<QueueOrder>(std::get<0>(p.parameters()))); });
}
// A policy with the order of the queue and one more parameter, which `check` throws at if it is out of its range.
template <template <std::size_t> class Made, class Parameter>
void bind_with(nb::module_& m, const char* name, const char* about, const char* parameter, void (*check)(Parameter)) {
    using Kind = PolicyOf<Made, std::shared_ptr<const QueueOrder>, Parameter>;
    auto cls = nb::class_<Kind, PolicyKind>(m, name, about)
        .def("__init__", [check](Kind* self, std::shared_ptr<QueueOrder> order, Parameter value) {
            check(value);
            new (self) Kind(std::move(order), value);
        }, "order"_a, nb::arg(parameter));
    by_arguments(cls, [](const Kind& p) {
        const auto& [order, value] = p.parameters();
        return nb::make_tuple(std::const_pointer_cast<QueueOrder>(order), value);
    });
}
template <template <std::size_t> class Made>
void bind_plain(nb::module_& m, const char* name, const char* about) {
    auto cls = nb::class_<PolicyOf<Made>, PolicyKind>(m, name, about).def(nb::init<>());
    by_arguments(cls, [](const PolicyOf<Made>&) { return nb::make_tuple(); });
}

void bind_plan_based(nb::module_& m) {
    auto cls = nb::class_<PlanBasedKind, PolicyKind>(m, "PlanBased", "Annealing searches for the plan to act on (Zheng et al. 2016).")
        .def("__init__", [](PlanBasedKind* self, std::shared_ptr<Objective> objective, const std::vector<double>& setting,
                            std::vector<std::int64_t> first_plans, std::size_t evaluations, bool promised, std::size_t scenarios, double risk) {
            new (self) PlanBasedKind(plan_search(std::move(objective), setting, std::move(first_plans), evaluations, promised, scenarios, risk));
        }, "objective"_a, "setting"_a, "first_plans"_a, "evaluations"_a, "promised"_a, "scenarios"_a, "risk"_a);
    by_arguments(cls, [](const PlanBasedKind& p) {
        const PlanSearch& s = p.search();
        return nb::make_tuple(std::const_pointer_cast<Objective>(s.objective), tuple_of(s.setting.numbers()), tuple_of(s.first_plans), s.evaluations,
                              s.promised, s.scenarios, s.risk);
    });
}

void bind_queue_policies(nb::module_& m) {
    const auto any = [](bool) {};
    bind_with<Serve, bool>(m, "Serve", "The queue in its order: a blocked job blocks the others (FCFS), or is passed over (Best-fit).",
                           "passes_blocked", any);
    bind_with<BackfillBalanced, bool>(m, "BackfillBalanced", "Backfill Balanced (Leinberger, Karypis, Kumar 1999).", "one_a_round", any);
    bind_with<ImprovedBackfillBalanced, bool>(m, "ImprovedBackfillBalanced", "Improved Backfill Balanced (Liu et al., NPC 2016).",
                                              "as_printed", any);
    bind_with<FirstReserved, std::size_t>(m, "FirstReserved", "Backfilling around reservations for the first so many blocked jobs.",
                                          "reservations", [](std::size_t jobs) {
        if (jobs < 1) throw std::invalid_argument("reservations: 0 is no positive number of jobs");
    });
    bind_with<Selective, double>(m, "Selective", "Reservations for jobs whose expansion factor exceeds a threshold (Srinivasan et al., JSSPP 2002).",
                                 "factor", [](double factor) {
        if (std::isnan(factor)) throw std::invalid_argument("factor: not a number");
    });
    bind_with<Relaxed, double>(m, "Relaxed", "EASY that may delay the head by a part of its expected wait (Ward, Mahood, West, JSSPP 2002).",
                               "omega", [](double omega) {
        if (!(omega >= 0.0)) throw std::invalid_argument("omega: negative, or not a number");
    });
    bind_ordered<SlackBased>(m, "SlackBased", "Jobs may be delayed up to their promised latest starts (Talby and Feitelson, IPPS 1999).");
}

void bind_lookahead(nb::module_& m) {
    auto cls = nb::class_<LookaheadKind, PolicyKind>(m, "Lookahead", "EASY that backfills the set that fills most (Shmueli and Feitelson, JSSPP 2003).")
        .def("__init__", [](LookaheadKind* self, std::shared_ptr<QueueOrder> order, std::size_t most_jobs) {
            if (most_jobs < 1) throw std::invalid_argument("most_jobs: 0 is no positive number of jobs");
            new (self) LookaheadKind(std::move(order), most_jobs);
        }, "order"_a, "most_jobs"_a);
    by_arguments(cls, [](const LookaheadKind& p) { return nb::make_tuple(std::const_pointer_cast<QueueOrder>(p.order()), p.most_jobs()); });
}

void bind_deadline_backfilling(nb::module_& m) {
    using Kind = PolicyOf<DeadlineBackfilling, DeadlineRules>;
    nb::enum_<UrgentJobs>(m, "UrgentJobs", "How jobs become urgent that would be late: in the algorithm of 2017, and in that of 2016.")
        .value("ONE_AT_A_TIME", UrgentJobs::one_at_a_time)
        .value("ALL_AT_ONCE", UrgentJobs::all_at_once);
    nb::enum_<Turns>(m, "Turns", "The order in which definitive reservations move forward after an early end.")
        .value("FCFS", Turns::fcfs)
        .value("TOGETHER", Turns::together)
        .value("AS_JOINED", Turns::as_joined)
        .value("REGULAR_FIRST", Turns::regular_first);
    auto cls = nb::class_<Kind, PolicyKind>(m, "DeadlineBackfilling", "Jobs with a deadline make room for those without (N'takpé and Suter, 2016 and 2017).")
        .def("__init__", [](Kind* self, UrgentJobs urgent_jobs, Turns turns, std::vector<std::int64_t> working_time) {
            if (working_time.size() % 2) throw std::invalid_argument("working_time: a period has no end");
            if (!std::is_sorted(working_time.begin(), working_time.end())) throw std::invalid_argument("working_time: not ascending");
            new (self) Kind(DeadlineRules{urgent_jobs, turns, std::move(working_time)});
        }, "urgent_jobs"_a = UrgentJobs::one_at_a_time, "turns"_a = Turns::fcfs, "working_time"_a = std::vector<std::int64_t>());
    by_arguments(cls, [](const Kind& p) {
        const DeadlineRules& rules = std::get<0>(p.parameters());
        return nb::make_tuple(rules.urgent_jobs, rules.turns, tuple_of(rules.working_time));
    });
}

}  // namespace

void bind_policies(nb::module_& m) {
    nb::class_<PolicyKind>(m, "Policy", "What decides rounds.").def("decide", &decide, "round"_a, "generator"_a);
    bind_queue_policies(m);
    bind_lookahead(m);
    bind_deadline_backfilling(m);
    bind_ordered<Easy>(m, "Easy", "EASY backfilling (Lifka, JSSPP 1995; Mu'alem and Feitelson, TPDS 2001).");
    bind_ordered<Replanned>(m, "Replanned", "Decode the queue's order; earlier reservations are not kept.");
    bind_plain<Conservative>(m, "Conservative", "Conservative backfilling that keeps its reservations (Mu'alem and Feitelson, TPDS 2001).");
    bind_plan_based(m);
}

}  // namespace planbatch
