#include "../simulation/rounds_with_fit.hpp"
#include "bindings.hpp"
#include "owned_simulation.hpp"

namespace planbatch {

void bind_simulation(nb::module_& m) {
    nb::enum_<Status>(m, "SimulationStatus", "What the event loop waits for, or how it ended.")
        .value("ROUND_DUE", Status::round_due)
        .value("CARRIED_OUT", Status::carried_out)
        .value("PAUSED", Status::paused)
        .value("LESSON_DUE", Status::lesson_due)
        .value("FINISHED", Status::finished)
        .value("STUCK", Status::stuck)
        .value("BAD_START", Status::bad_start)
        .value("OVER_CAPACITY", Status::over_capacity);
    const auto result = [](const std::vector<std::int64_t>& (Simulation::*column)() const) {
        return [column](OwnedSimulation& self) {
            const Column entries = (self.simulation().*column)();
            return entries.empty() ? array_of<std::int64_t>(std::vector(self.simulation().start().size(), never), {self.simulation().start().size()}) : copy_out(entries);
        };
    };
    m.def("rounds_with_fit", [](const Ints& times, const Ints& submit, const Ints& start, const Ints& end, const Ints& amounts, const Ints& capacities) -> BoolArray {
        const std::size_t n = submit.size(), width = capacities.size();
        if (start.size() != n || end.size() != n || amounts.size() != n * width) throw std::invalid_argument("jobs: columns differ in length");
        std::vector<char> fits = rounds_with_fit(column(times), column(submit), column(start), column(end), {amounts.data(), n, width}, copy_of(capacities));
        return BoolArray(nb::object(hand_over(std::vector<std::uint8_t>(fits.begin(), fits.end())).attr("astype")("bool")).release(), nb::detail::steal_t{});
    }, "times"_a, "submit"_a, "start"_a, "end"_a, "amounts"_a, "capacities"_a, "In which rounds of a replay a waiting job fitted.");
    const auto shared = [](const OwnedSimulation& self, auto visit) {
        visit(self.history());
        visit(self.kind());
    };
    nb::class_<OwnedSimulation>(m, "Simulation", sharing<OwnedSimulation>(shared), "The event loop of a replay, which can be stepped.")
        .def(nb::init<const nb::dict&, nb::object, bool, std::size_t, std::size_t, std::int64_t, bool>(), "workload"_a, "history"_a.none(),
             "keeps_jobs"_a, "users"_a, "prediction"_a, "corrector"_a, "guards_promises"_a,
             nb::sig("def __init__(self, workload: dict[str, numpy.typing.NDArray[numpy.int64]], history: History | None, keeps_jobs: bool, users: int, prediction: int, corrector: int, guards_promises: bool) -> None"))
        .def("advance", &OwnedSimulation::advance, "Move to the next round.")
        .def("run", &OwnedSimulation::run, "policy"_a, "generator"_a, "seconds"_a, "rounds"_a, "Run rounds for so long, until there were so many in all, or until something is due.")
        .def("commit", &OwnedSimulation::commit, "start"_a, "policy_state"_a.none(), "evaluations"_a, "seed_cost"_a, "cost"_a, "Carry out a plan.")
        .def("round", &OwnedSimulation::round, "The columns of the round at this moment.")
        .def("schedule_lesson", [](OwnedSimulation& self, std::int64_t when, std::size_t started) { self.simulation().schedule_lesson(when, started); }, "when"_a, "started"_a)
        .def("lesson_is_due", [](OwnedSimulation& self) { return self.simulation().lesson_is_due(); })
        .def("event_log", [](OwnedSimulation& self) { return table_of(self.simulation().event_log()); }, "All events so far, a row per event.")
        .def("history_state", &OwnedSimulation::history_state, "A copy of the numbers that the history keeps.")
        .def("set_history_state", &OwnedSimulation::set_history_state, "numbers"_a)
        .def_prop_ro("now", [](OwnedSimulation& self) { return self.simulation().now(); })
        .def_prop_ro("waiting", [](OwnedSimulation& self) { return self.simulation().waiting_jobs().size(); })
        .def_prop_ro("started", [](OwnedSimulation& self) { return self.simulation().started(); })
        .def_prop_ro("rounds", [](OwnedSimulation& self) { return self.simulation().log().size(); })
        .def_prop_ro("events", [](OwnedSimulation& self) { return self.simulation().events(); }, "Submissions, starts, ends and changes of the machine so far.")
        .def_prop_ro("start", result(&Simulation::start))
        .def_prop_ro("first_planned", result(&Simulation::first_planned))
        .def_prop_ro("last_planned", result(&Simulation::last_planned))
        .def_prop_ro("latest", result(&Simulation::latest))
        .def_prop_ro("predicted", result(&Simulation::predicted))
        .def("log", [](OwnedSimulation& self) -> Tuple<IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray> {
            const std::vector<RoundEntry>& log = self.simulation().log();
            const std::size_t n = log.size();
            std::vector<std::int64_t> time(n), waiting(n), running(n), started(n), evaluations(n);
            std::vector<double> seed_cost(n), cost(n);
            for (std::size_t i = 0; i < n; ++i) {
                const Report report = self.simulation().report(i);
                time[i] = log[i].time, waiting[i] = log[i].waiting, running[i] = log[i].running, started[i] = log[i].started;
                evaluations[i] = report.evaluations, seed_cost[i] = report.seed_cost, cost[i] = report.cost;
            }
            const auto array = [n](auto& entries) { return array_of<typename std::decay_t<decltype(entries)>::value_type>(std::move(entries), {n}); };
            return nb::make_tuple(array(time), array(waiting), array(running), array(started), array(evaluations), array(seed_cost), array(cost));
        }, "The columns of the log of rounds.");
}

}  // namespace planbatch
