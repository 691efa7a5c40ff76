// The policies that work through the queue in an order.
#include "../policies/backfill_balanced.hpp"
#include "../policies/first_reserved.hpp"
#include "../policies/improved_backfill_balanced.hpp"
#include "../policies/lookahead.hpp"
#include "../policies/relaxed.hpp"
#include "../policies/selective.hpp"
#include "../policies/serve.hpp"
#include "../policies/slack_based.hpp"
#include "bindings.hpp"
#include "policy_kinds.hpp"

namespace planbatch {
namespace {

void bind_lookahead(nb::module_& m) {
    auto cls = nb::class_<LookaheadKind, PolicyKind>(m, "Lookahead", sharing<LookaheadKind>([](const LookaheadKind& p, auto visit) { visit(p.order()); }),
                                                        "EASY that backfills the set that fills most (Shmueli and Feitelson, JSSPP 2003).")
        .def("__init__", [](LookaheadKind* self, std::shared_ptr<QueueOrder> order, std::size_t most_jobs) {
            if (most_jobs < 1) throw std::invalid_argument("most_jobs: 0 is no positive number of jobs");
            new (self) LookaheadKind(std::move(order), most_jobs);
        }, "order"_a, "most_jobs"_a);
    by_arguments(cls, [](const LookaheadKind& p) { return nb::make_tuple(std::const_pointer_cast<QueueOrder>(p.order()), p.most_jobs()); });
}

}  // namespace

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
    bind_lookahead(m);
}

}  // namespace planbatch
