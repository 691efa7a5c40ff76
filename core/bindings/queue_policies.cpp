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
void bind_queue_policies(nb::module_& m) {
    bind_ordered<Serve, bool>(m, "Serve", "The queue in its order: a blocked job blocks the others (FCFS), or is passed over (Best-fit).",
                              "passes_blocked"_a);
    bind_ordered<BackfillBalanced, bool>(m, "BackfillBalanced", "Backfill Balanced (Leinberger, Karypis, Kumar 1999).", "one_a_round"_a);
    bind_ordered<ImprovedBackfillBalanced, bool>(m, "ImprovedBackfillBalanced", "Improved Backfill Balanced (Liu et al., NPC 2016).",
                                                 "as_printed"_a);
    bind_ordered<FirstReserved, std::size_t>(m, "FirstReserved", "Backfilling around reservations for the first so many blocked jobs.",
                                             "reservations"_a);
    bind_ordered<Selective, double>(m, "Selective", "Reservations for jobs whose expansion factor exceeds a threshold (Srinivasan et al., JSSPP 2002).",
                                    "factor"_a);
    bind_ordered<Relaxed, double>(m, "Relaxed", "EASY that may delay the head by a part of its expected wait (Ward, Mahood, West, JSSPP 2002).",
                                  "omega"_a);
    bind_ordered<SlackBased>(m, "SlackBased", "Jobs may be delayed up to their promised latest starts (Talby and Feitelson, IPPS 1999).");
    bind_ordered<Lookahead, std::size_t>(m, "Lookahead", "EASY that backfills the set that fills most (Shmueli and Feitelson, JSSPP 2003).",
                                         "most_jobs"_a);
}

}  // namespace planbatch
