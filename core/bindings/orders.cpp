#include "../orders/published.hpp"
#include "bindings.hpp"
#include "job_columns.hpp"
#include "python_calls.hpp"

namespace planbatch {
namespace {

template <double (*key)(const JobTable&, std::size_t, std::int64_t)>
void bind_key(nb::module_& m, const char* name, const char* about) {
    bind_value<OrderByKey<key>, QueueOrder>(m, name, about);
}

FloatArray keys_of(const QueueOrder& order, const Jobs& jobs, std::int64_t now) {
    const JobColumns columns(jobs);
    std::vector<double> keys;
    order.keys(columns.view(), now, keys);
    return copy_out(Reals(keys));
}

}  // namespace

void bind_orders(nb::module_& m) {
    nb::class_<QueueOrder>(m, "QueueOrder", "An order of waiting jobs: keys(jobs, now), the smallest first.")
        .def("__call__", &keys_of, "jobs"_a, "now"_a)
        .def_prop_ro("history", &QueueOrder::history, nb::for_getter(nb::sig("def history(self) -> History | None")),
                     "What it needs to know of the past of users, if anything.");
    bind_value<SubmitOrder, QueueOrder>(m, "SubmitOrder", "First come, first served: the order of the queue itself (the seed of conservative backfilling).");
    bind_key<keys::shortest>(m, "ShortestFirst", "Smallest walltime first (SJF).");
    bind_key<keys::longest>(m, "LongestFirst", "Largest walltime first.");
    bind_key<keys::smallest>(m, "SmallestFirst", "Fewest processors first.");
    bind_key<keys::largest>(m, "LargestFirst", "Most processors first.");
    bind_key<keys::smallest_area>(m, "SmallestAreaFirst", "Smallest area (processors × walltime) first: Smith's rule on one machine of all the processors.");
    bind_key<keys::largest_area>(m, "LargestAreaFirst", "Largest area (processors × walltime) first.");
    bind_key<keys::earliest_deadline>(m, "EarliestDeadlineFirst", "Earliest deadline first (EDF); jobs without a deadline come last.");
    bind_value<RegularFirst, QueueOrder>(m, "RegularFirst", "The order of deadline-based backfilling: urgent jobs, those without a deadline, the others.");
    bind_key<keys::largest_expansion>(m, "LargestExpansionFirst", "Largest expansion factor first (LXF): key −(w + r) / r.");
    bind_key<keys::wfp1>(m, "Wfp1", "Largest w / r · n first: WFP3 without the cube.");
    bind_key<keys::wfp3>(m, "Wfp3", "Largest (w / r)³ · n first (WFP3): waits in multiples of the walltime, large jobs favoured.");
    bind_key<keys::unicef>(m, "Unicef", "Largest w / (log2(n) · r) first (UNICEF): small, short jobs are served fast, serial ones before all others.");
    bind_key<keys::fat>(m, "Fat", "Largest w / r · n³ first (FAT): wide jobs before all others.");
    bind_key<keys::smallest_ratio>(m, "SmallestRatioFirst", "Smallest ratio of walltime to processors first (SRF): key r / n.");
    bind_key<keys::f1>(m, "F1", "Smallest log10(r) · n + 870 · log10(s) first (F1).");
    bind_key<keys::f2>(m, "F2", "Smallest √r · n + 25,600 · log10(s) first (F2).");
    bind_key<keys::f3>(m, "F3", "Smallest r · n + 6,860,000 · log10(s) first (F3).");
    bind_key<keys::f4>(m, "F4", "Smallest r · √n + 530,000 · log10(s) first (F4).");
    bind_value<OrderByExpectation<keys::expected_area>, QueueOrder>(m, "ExpectedAreaFirst", "Smallest expected area first: n · E[run].");
    bind_value<OrderByExpectation<keys::expected_slowdown>, QueueOrder>(m, "ExpectedSlowdownFirst", "Smallest n · E[run] / E[1 / max(run, 10 s)] first: the same rule, waits weighted as in the slowdown.");
    bind_value<Multifactor, QueueOrder>(m, "Multifactor", "Slurm's multifactor priority: the weighted sum of age, fair-share and size, largest first.",
                                        "age"_a, "fairshare"_a, "size"_a, "max_age"_a, "half_life"_a);
    bind_value<LongestWaitingFirst, QueueOrder>(m, "LongestWaitingFirst", "Jobs that have waited longer than a threshold come first, FCFS among themselves.",
                                                "order"_a, "seconds"_a);
    bind_value<PairOfOrders, QueueOrder>(m, "PairOfOrders", "One order for the head of the queue, another for backfilling.", "head"_a, "backfilling"_a);
    auto python = nb::class_<PythonOrder, QueueOrder>(m, "PythonOrder", nb::type_slots(Collected<PythonOrder>::slots), "An order in plain Python.")
                      .def(nb::init<nb::object>(), "function"_a, nb::sig("def __init__(self, function: collections.abc.Callable[..., numpy.typing.ArrayLike]) -> None"));
    by_arguments(python, &python_arguments<PythonOrder>);
    python.attr("calls_python") = true;
}

}  // namespace planbatch
