#include "../objectives/combined.hpp"
#include "../objectives/deadline.hpp"
#include "../objectives/response.hpp"
#include "../objectives/weighted.hpp"
#include "bindings.hpp"
#include "job_columns.hpp"
#include "compiled_objective.hpp"

namespace planbatch {
namespace {

double cost_of(const Objective& objective, const ArrayLike& start, const Jobs& jobs, std::int64_t now) {
    const Ints starts = ints_of(start, "start");
    const JobColumns columns(jobs);
    if (starts.ndim() != 1 || starts.size() != columns.size()) throw std::invalid_argument("start: not one start per job");
    return objective.cost(column(starts), columns.view(), now);
}

}  // namespace

void bind_objectives(nb::module_& m) {
    nb::class_<Objective>(m, "Objective", "A cost of plans: cost(start, jobs, now).")
        .def("__call__", &cost_of, "start"_a, "jobs"_a, "now"_a)
        .def_prop_ro("history", &Objective::history, nb::for_getter(nb::sig("def history(self) -> History | None")),
                     "What it needs to know of the past of users, if anything.");
    bind_value<MeanWait, Objective>(m, "MeanWait", "(1/n) Σ (startᵢ − submitᵢ), in seconds (Zheng et al. 2016, Section IV-B, PLAN 1).");
    bind_value<MeanSquaredWait, Objective>(m, "MeanSquaredWait", "(1/n) Σ (startᵢ − submitᵢ)², in seconds² (Zheng et al. 2016, Section IV-B, PLAN 2).");
    bind_value<MeanFourthWait, Objective>(m, "MeanFourthWait", "(1/n) Σ (startᵢ − submitᵢ)⁴, in seconds⁴.");
    bind_value<MeanAreaWait, Objective>(m, "MeanAreaWait", "Σ procsᵢ · (startᵢ − submitᵢ) / Σ procsᵢ, in seconds: the mean wait of a processor's worth of work.");
    bind_value<MeanUserWait, Objective>(m, "MeanUserWait", "(1/U) Σᵤ (1/nᵤ) Σᵢ (startᵢ − submitᵢ), in seconds: every one of the U users counts the same.");
    bind_value<MeanResponse, Objective>(m, "MeanResponse", "(1/n) Σ (startᵢ + walltimeᵢ − submitᵢ), in seconds.");
    bind_value<MeanBoundedSlowdown, Objective>(m, "MeanBoundedSlowdown", "(1/n) Σ max(1, (waitᵢ + walltimeᵢ) / max(walltimeᵢ, 10 s)); planners know walltimes only.");
    bind_value<MeanStretch, Objective>(m, "MeanStretch", "(1/n) Σ (waitᵢ + walltimeᵢ) / walltimeᵢ.");
    bind_value<MeanExpectedSlowdown, Objective>(m, "MeanExpectedSlowdown", "(1/n) Σ (startᵢ − submitᵢ) · E[1 / max(runᵢ, 10 s)]: what waits are expected to add to the bounded slowdown.");
    bind_value<Makespan, Objective>(m, "Makespan", "Max (startᵢ + walltimeᵢ) − now, in seconds (Zheng et al. 2016, Section IV-B, PLAN 3).");
    bind_value<TotalTardiness, Objective>(m, "TotalTardiness", "Σ max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds.");
    bind_value<MaximumTardiness, Objective>(m, "MaximumTardiness", "Max max(0, startᵢ + walltimeᵢ − deadlineᵢ), in seconds.");
    bind_value<MissedDeadlines, Objective>(m, "MissedDeadlines", "How many jobs end after their deadline: Σ [startᵢ + walltimeᵢ > deadlineᵢ].");
    bind_value<RegularWait, Objective>(m, "RegularWait", "Total tardiness first, then the mean wait of the jobs without a deadline (N'takpé and Suter 2017, Section 4).");

    bind_value<MeanPoweredWait, Objective>(m, "MeanPoweredWait", "(1/n) Σ (startᵢ − submitᵢ)^power, in seconds^power.", "power"_a);
    bind_value<MeanAgedWait, Objective>(m, "MeanAgedWait", "(1/n) Σ (1 + areaᵢ / mean area · (ageᵢ / scale)²) · (startᵢ − submitᵢ), in seconds.", "scale"_a);
    bind_value<MeanWeightedWait, Objective>(m, "MeanWeightedWait", "(1/n) Σ weightᵢ · (startᵢ − submitᵢ)^power.", "power"_a = 2.0, "area"_a = -1.0,
                                            "size"_a = 0.0, "length"_a = 0.0, "age"_a = 0.0, "run"_a = 0.0, "share"_a = 0.0)
        .def("weights", [](const MeanWeightedWait& self, const Jobs& jobs, std::int64_t now) {
            const JobColumns columns(jobs);
            std::vector<double> weights;
            weights.reserve(columns.size());
            for (std::size_t i = 0; i < columns.size(); ++i) weights.push_back(self.weight(columns.view(), i, now));
            return hand_over(std::move(weights));
        }, "jobs"_a, "now"_a);
    bind_value<WeightedSum, Objective>(m, "WeightedSum", "Σ weightₖ · costₖ.", "weights"_a, "objectives"_a);
    bind_value<Lexicographic, Objective>(m, "Lexicographic", "⌊cost₁ / step⌋ + cost₂ / (cost₂ + one day).", "first"_a, "then"_a, "step"_a);
    bind_value<Guided, Objective>(m, "Guided", "A cost, and a second criterion that guides searches between plans of like cost.", "objective"_a, "guide"_a);
    auto python = nb::class_<PythonObjective, Objective>(m, "PythonObjective", nb::type_slots(Collected<PythonObjective>::slots), "A cost in plain Python.")
                      .def(nb::init<nb::object>(), "function"_a, nb::sig("def __init__(self, function: collections.abc.Callable[..., float]) -> None"));
    by_arguments(python, &python_arguments<PythonObjective>);
    python.attr("calls_python") = true;
    nb::class_<CompiledObjective, Objective>(m, "CompiledObjective", nb::type_slots(Collected<CompiledObjective>::slots), "A user's cost as machine code.")
        .def(nb::init<std::uintptr_t, nb::object, nb::object, nb::object, nb::tuple>(), "address"_a, "owner"_a, "plain"_a, "maker"_a, "arguments"_a,
             nb::sig("def __init__(self, address: int, owner: object, plain: collections.abc.Callable[..., float], maker: collections.abc.Callable[..., CompiledObjective], arguments: tuple[typing.Any, ...]) -> None"))
        .def("__reduce__", [](const CompiledObjective& o) { return nb::make_tuple(o.maker(), o.arguments()); },
             nb::sig("def __reduce__(self) -> tuple[collections.abc.Callable[..., CompiledObjective], tuple[typing.Any, ...]]"))
        .def("__eq__", [](const CompiledObjective& o, nb::handle other) {
            return nb::isinstance<CompiledObjective>(other) && o.arguments().equal(nb::cast<const CompiledObjective&>(other).arguments());
        })
        .def("__hash__", [](const CompiledObjective& o) { return nb::hash(o.arguments()); });
    m.def("squashed", &squashed, "cost"_a, "cost / (cost + one day): grows with the cost and stays below one.");
}

}  // namespace planbatch
