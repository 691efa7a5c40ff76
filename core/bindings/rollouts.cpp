// Rollouts, and their parts for tests.
#include <nanobind/stl/optional.h>

#include "../policies/rollouts/rollouts.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"
#include "plan_search.hpp"

namespace planbatch {
namespace {

void bind_kind(nb::module_& m) {
    using Kind = PolicyOf<Rollouts, RolloutSetting>;
    const auto shared = [](const Kind& kind, auto visit) {
        visit(std::get<0>(kind.arguments()).order);
        visit(std::get<0>(kind.arguments()).search.objective);
    };
    auto cls = nb::class_<Kind, PolicyKind>(m, "Rollouts", sharing<Kind>(shared), "What starts now is chosen by simulating what would follow (Bertsekas and Castañon 1999).")
        .def("__init__", [](Kind* self, std::shared_ptr<const QueueOrder> order, std::shared_ptr<const Objective> objective, const std::vector<double>& setting,
                            std::vector<std::int64_t> first_plans, std::size_t evaluations, std::optional<std::size_t> samples, std::int64_t span,
                            double confidence, std::optional<double> seconds) {
            if (!samples && !seconds) throw std::invalid_argument("samples, seconds: neither ends a round");
            if (span < 0 || span > never / 4) throw std::invalid_argument("span: not from 0 to 2^58 seconds");
            new (self) Kind(RolloutSetting{std::move(order), plan_search(std::move(objective), setting, std::move(first_plans), evaluations, false, 0, 0.0),
                                     samples.value_or(none), span, confidence, seconds.value_or(infinity)});
        }, "order"_a, "objective"_a, "setting"_a, "first_plans"_a, "evaluations"_a, "samples"_a.none(), "span"_a, "confidence"_a, "seconds"_a.none());
    by_arguments(cls, [](const Kind& kind) {
        const RolloutSetting& r = std::get<0>(kind.arguments());
        const PlanSearch& s = r.search;
        const auto samples = r.samples == none ? std::nullopt : std::optional(r.samples);
        const auto seconds = r.seconds == infinity ? std::nullopt : std::optional(r.seconds);
        return nb::make_tuple(r.order, s.objective, hashable(s.setting.numbers()), hashable(s.first_plans), s.evaluations, samples, r.span, r.confidence, seconds);
    });
}

// The starts of EASY, simulated in FCFS order. The round has the jobs that will come behind those that wait; `run` has
// the ends of the running jobs and behind them the run times of the others (s).
IntArray simulate_easy(const OwnedRound& owned, std::size_t waiting, const Ints& run, const Ints& chosen) {
    const Round round = owned.view();
    if (waiting > round.jobs.size() || chosen.size() != waiting) throw std::invalid_argument("chosen: not one entry per waiting job");
    if (run.size() != round.running.size() + round.jobs.size()) throw std::invalid_argument("run: not one entry per job");
    const std::vector<char> starts(chosen.data(), chosen.data() + waiting);
    std::vector<std::int64_t> start(round.jobs.size());
    if (start.empty()) return hand_over(std::move(start));
    without_gil([&] {
        Future future;
        future.give(round, waiting, column(run));
        with_width(round.width(), [&](auto k) { EasySimulation<k()>().run(round, future, starts, start); });
    });
    return hand_over(std::move(start));
}

}  // namespace

void bind_rollouts(nb::module_& m) {
    bind_kind(m);
    m.def("simulate_easy", &simulate_easy, "round"_a, "waiting"_a, "run"_a, "chosen"_a, "The starts of EASY with given run times (s).");
    m.def("draw_coming", [](const OwnedRound& round, std::int64_t span, const Generator& generator) -> Tuple<std::int64_t, IntArray> {
        Random rng = random_of(generator);
        auto [moment, rows] = Future::draw_coming(round.view(), span, rng);
        return nb::make_tuple(moment, hand_over(std::move(rows)));
    }, "round"_a, "span"_a, "generator"_a, "A moment of the past, and the rows of the jobs that came in so many seconds from then on.");
    m.def("best_candidate", [](const Floats& total, const Floats& square, std::size_t samples, double confidence) {
        if (total.size() != square.size() || total.size() == 0) throw std::invalid_argument("square: not one entry per candidate");
        return best_candidate(reals(total), reals(square), samples, confidence);
    }, "total"_a, "square"_a, "samples"_a, "confidence"_a, "The candidate that is surely better than the first, or the first.");
}

}  // namespace planbatch
