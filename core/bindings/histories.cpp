#include "../simulation/prediction.hpp"
#include "../user_history/boosted.hpp"
#include "../user_history/e_loss.hpp"
#include "../user_history/fair_share.hpp"
#include "../user_history/last_two.hpp"
#include "../user_history/run_times.hpp"
#include "bindings.hpp"
#include "python_history.hpp"

namespace planbatch {
namespace {

// What Python needs to know of the state, to teach: where the numbers of jobs and trees are.
void bind_boosted(nb::module_& m) {
    auto cls = bind_value<Boosted, History>(m, "Boosted", "Run times predicted by boosted trees, which Python grows (Friedman, Annals of Statistics 2001).");
    const std::pair<const char*, std::size_t> numbers[] = {
        {"FEATURES", Boosted::features}, {"FIRST_FEATURE", Boosted::first_feature}, {"MOST_TREES", Boosted::most_trees},
        {"DEPTH", Boosted::depth}, {"TREES", Boosted::trees}, {"BASE", Boosted::base}, {"ENDED", Boosted::ended},
        {"LEARNED", Boosted::learned}, {"FIRST_TREE", Boosted::first_tree}};
    for (const auto& [constant, value] : numbers) cls.attr(constant) = value;
    cls.def_static("value", [](const Floats& model, const Floats& features) {
        if (model.size() != Boosted::shared || features.size() != Boosted::features) throw std::invalid_argument("features: another number of them");
        return Boosted::value(reals(model), reals(features));
    }, "model"_a, "features"_a, "What the trees predict.");
}

}  // namespace

void bind_histories(nb::module_& m) {
    nb::class_<History>(m, "History", "What a replay keeps up to date of the past of users.")
        .def_prop_ro("width", [](const History& h) { return h.shape().width; })
        .def_prop_ro("columns", [](const History& h) { return h.shape().columns; })
        .def_prop_ro("kept", [](const History& h) { return h.shape().kept; }, "Numbers that are stored for each job.")
        .def_prop_ro("shared", [](const History& h) { return h.shape().shared; }, "Numbers that are stored for all jobs.")
        .def("rows", [](const History& h, std::size_t users, std::size_t jobs) { return h.shape().rows(users, jobs); }, "users"_a, "jobs"_a);
    bind_value<ExpectedRunTimes, History>(m, "ExpectedRunTimes", "Expected run times of the waiting jobs.");
    bind_value<RunTimes, ExpectedRunTimes>(m, "RunTimes", "Expected run times, and quantiles of their distributions.");
    bind_value<LastTwo, History>(m, "LastTwo", "Run times predicted as the mean of the user's last two (Tsafrir, Etsion, Feitelson, TPDS 2007).");
    bind_value<ELoss, History>(m, "ELoss", "Run times predicted by online regression (Gaussier, Glesser, Reis, Trystram, SC 2015).");
    bind_boosted(m);
    bind_value<FairShare, History>(m, "FairShare", "The decayed use of every user.", "half_life"_a);
    auto python = nb::class_<PythonHistory, History>(m, "PythonHistory", nb::type_slots(Collected<PythonHistory>::slots), "A history in plain Python: update(events, state, jobs, now).")
                      .def(nb::init<nb::object, std::size_t, std::size_t, std::size_t, std::size_t>(), "update"_a, "width"_a, "columns"_a, "kept"_a, "shared"_a,
                           nb::sig("def __init__(self, update: collections.abc.Callable[..., object], width: int, columns: int, kept: int, shared: int) -> None"));
    by_arguments(python, &python_arguments<PythonHistory>);
    python.attr("calls_python") = true;
    m.def("corrected", [](std::int64_t corrector, std::int64_t predicted, std::int64_t elapsed, std::int64_t request) {
        if (corrector < 0 || corrector > std::int64_t(Corrector::doubling_beyond)) throw std::invalid_argument("corrector: no such number");
        if (predicted < 1 || predicted > never || elapsed < 0 || elapsed > never) throw std::invalid_argument("predicted, elapsed: not from 1, or 0, to 2^60 seconds");
        return corrected(Corrector(corrector), predicted, elapsed, request);
    }, "corrector"_a, "predicted"_a, "elapsed"_a, "request"_a, "What a job is believed to take that has run for longer than predicted (s).");
}

}  // namespace planbatch
