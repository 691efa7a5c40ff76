#include "../user_history/fair_share.hpp"
#include "../user_history/run_times.hpp"
#include "bindings.hpp"
#include "python_history.hpp"

namespace planbatch {

void bind_histories(nb::module_& m) {
    nb::class_<History>(m, "History", "What a replay keeps up to date of the past of users.")
        .def_prop_ro("width", [](const History& h) { return h.shape().width; })
        .def_prop_ro("columns", [](const History& h) { return h.shape().columns; })
        .def("rows", [](const History& h, std::size_t users, std::size_t jobs) { return h.shape().rows(users, jobs); }, "users"_a, "jobs"_a);
    auto expected = nb::class_<ExpectedRunTimes, History>(m, "ExpectedRunTimes", "Expected run times of the waiting jobs.").def(nb::init<>());
    by_arguments(expected, [](const ExpectedRunTimes&) { return nb::make_tuple(); });
    auto run_times = nb::class_<RunTimes, ExpectedRunTimes>(m, "RunTimes", "Expected run times, and quantiles of their distributions.").def(nb::init<>());
    by_arguments(run_times, [](const RunTimes&) { return nb::make_tuple(); });
    auto fair_share = nb::class_<FairShare, History>(m, "FairShare", "The decayed use of every user.").def(nb::init<double>(), "half_life"_a);
    by_arguments(fair_share, [](const FairShare& h) { return nb::make_tuple(h.half_life()); });
    auto python = nb::class_<PythonHistory, History>(m, "PythonHistory", nb::type_slots(Collected<PythonHistory>::slots), "A history in plain Python: follow(news, memory, jobs, now).")
                      .def(nb::init<nb::object, std::size_t, std::size_t, std::size_t, std::size_t>(), "follow"_a, "width"_a, "columns"_a, "kept"_a, "shared"_a);
    by_arguments(python, [](const PythonHistory& h) {
        const History::Shape& shape = h.shape();
        return nb::make_tuple(h.function(), shape.width, shape.columns, shape.kept, shape.shared);
    });
}

}  // namespace planbatch
