// Rounds, decoding, profiles and scenarios.
#include "../decoder.hpp"
#include "../permutation.hpp"
#include "../promises.hpp"
#include "../policies/policy.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"

namespace planbatch {
namespace {

void make_round(OwnedRound* self, std::int64_t now, const Ints& capacities, const Ints& running_end, const Ints& running_amounts,
                const Ints& submit, const Ints& walltime, const Ints& deadline, const Ints& latest, const Ints& user, const Ints& amounts,
                const Floats& past, const Ints& planned, const Ints& occupied, const Ints& policy_state, const Ints& window_start,
                const Ints& window_end, const Ints& window_amounts, bool ended_early, const Ints& history_rows, const Floats& history_past,
                const Ints& history_running) {
    OwnedRound round;
    round.now = now, round.ended_early = ended_early;
    round.capacities = copy_of(capacities);
    round.running_end = copy_of(running_end), round.running_amounts = copy_of(running_amounts);
    round.submit = copy_of(submit), round.walltime = copy_of(walltime), round.deadline = copy_of(deadline);
    round.latest = copy_of(latest), round.user = copy_of(user), round.amounts = copy_of(amounts);
    round.planned = copy_of(planned), round.occupied = copy_of(occupied), round.policy_state = copy_of(policy_state);
    round.window_start = copy_of(window_start), round.window_end = copy_of(window_end), round.window_amounts = copy_of(window_amounts);
    const std::size_t width = round.capacities.size(), n = round.submit.size();
    if (width == 0 || round.amounts.size() != n * width || round.running_amounts.size() % width || round.policy_state.size() != n)
        throw std::invalid_argument("round: columns differ in length");
    for (std::size_t i = 0; i < n; ++i) round.procs.push_back(round.amounts[i * width]);
    round.free = round.capacities;
    for (std::size_t i = 0; i < round.running_amounts.size(); ++i)
        if (__builtin_sub_overflow(round.free[i % width], round.running_amounts[i], &round.free[i % width])) throw std::invalid_argument("running: more than the machine has");
    if (past.ndim() != 2 || past.shape(0) != n) throw std::invalid_argument("past: not one row per job");
    round.past = copy_of(past), round.past_columns = past.shape(1);
    if (history_rows.ndim() != 2 || history_past.ndim() != 2 || history_rows.shape(0) != history_past.shape(0))
        throw std::invalid_argument("history: not one row per job");
    round.history_jobs = history_rows.shape(0);
    round.history_rows = copy_of(history_rows), round.history_past = copy_of(history_past);
    round.history_running = copy_of(history_running);
    if (round.history_jobs) {
        if (history_rows.shape(1) != JobHistory::entries + width - 1) throw std::invalid_argument("history: another number of columns");
        if (round.history_running.size() != round.running_end.size()) throw std::invalid_argument("history: not one row per running job");
        for (const std::int64_t row : round.history_running)
            if (row < 0 || std::size_t(row) >= round.history_jobs) throw std::invalid_argument("history: a running job has no row");
    }
    check(round.view());
    new (self) OwnedRound(std::move(round));
}

IntArray decode(const OwnedRound& owned, const Ints& order) {
    const Round round = owned.view();
    std::vector<std::int64_t> start(round.jobs.size());
    PermutationReader reader;
    const Order checked = reader.read(column(order), round.jobs.size());
    without_gil([&] {
        with_width(round.width(), [&](auto k) {
            Decoder<k()> decoder;
            decoder.prepare(round);
            decoder.decode(checked, start);
        });
    });
    return hand_over(std::move(start));
}

// Decodes the rows of a table of orders again and again, for measurements; the sum of the first starts.
std::int64_t decode_repeatedly(const OwnedRound& owned, const Ints& orders, std::size_t times) {
    const Round round = owned.view();
    const std::size_t n = round.jobs.size(), rows = n ? orders.size() / n : 0;
    if (rows == 0 || orders.size() != rows * n) throw std::invalid_argument("orders: not one place per job in each row");
    return without_gil([&] {
        PermutationReader reader;
        std::vector<JobNumber> checked;
        for (std::size_t r = 0; r < rows; ++r) {
            const Order order = reader.read(column(orders).subspan(r * n, n), n);
            checked.insert(checked.end(), order.begin(), order.end());
        }
        std::vector<std::int64_t> start(n);
        std::int64_t sum = 0;
        const auto run = [&](auto k, auto number) {
            Decoder<k(), decltype(number)> decoder;
            decoder.prepare(round);
            for (std::size_t t = 0; t < times; ++t) {
                decoder.decode(Order(checked).subspan(t % rows * n, n), start);
                sum += start[0];
            }
        };
        if (round.width() == 1 && is_narrow(round)) run(std::integral_constant<std::size_t, 1>{}, std::int32_t{});
        else with_width(round.width(), [&](auto k) { run(k, std::int64_t{}); });
        return sum;
    });
}

// The promises and the previous plan of a round whose promises can all be kept.
Tuple<IntArray, IntArray> feasible_promises(const OwnedRound& owned) {
    const Round round = owned.view();
    if (round.jobs.size() == 0) return nb::make_tuple(copy_out(round.jobs.latest), copy_out(round.planned));
    FeasiblePromises promises;
    return with_width(round.width(), [&](auto k) -> Tuple<IntArray, IntArray> {
        Decoder<k()> decoder;
        decoder.prepare(round);
        const Round relaxed = promises.of(round, decoder);
        return nb::make_tuple(copy_out(relaxed.jobs.latest), copy_out(relaxed.planned));
    });
}

// The availability profile of a round, in times of the round.
class RoundProfile {
  public:
    explicit RoundProfile(const OwnedRound& owned) : now_(owned.now), capacities_(owned.capacities) { fill(owned.view(), profile_); }

    IntArray times() const {
        std::vector<std::int64_t> times;
        times.reserve(profile_.size());
        for (std::size_t i = 0; i < profile_.size(); ++i) times.push_back(now_ + profile_.time(i));
        return hand_over(std::move(times));
    }
    IntArray free() const {
        const std::size_t width = capacities_.size();
        std::vector<std::int64_t> free(profile_.row(0), profile_.row(profile_.size()));
        if (width == 1) return hand_over(std::move(free));
        return hand_over(std::move(free), {profile_.size(), width});
    }
    std::int64_t earliest(const Ints& demand, std::int64_t walltime, std::int64_t after) const {
        const auto wanted = checked(demand, walltime);
        if (after <= now_) return now_ + profile_.time(profile_.earliest(wanted, walltime));
        if (fits(demand, after, walltime)) return after;
        const std::size_t next = profile_.index_at(after - now_) + 1;
        if (next >= profile_.size()) throw std::invalid_argument("demand: never free");
        return now_ + profile_.time(profile_.earliest_slot(wanted, walltime, next).first);
    }
    bool fits(const Ints& demand, std::int64_t start, std::int64_t walltime) const {
        const auto wanted = checked(demand, walltime);
        const std::int64_t first = start - now_, end = first + walltime;
        for (std::size_t i = profile_.index_at(first); i < profile_.size() && profile_.time(i) < end; ++i)
            if (!profile_.covers(i, wanted)) return false;
        return true;
    }
    void reserve(const Ints& demand, std::int64_t start, std::int64_t walltime) {
        if (start < now_) throw std::invalid_argument("start: " + std::to_string(start) + " lies before the profile, which begins at " + std::to_string(now_));
        if (!fits(demand, start, walltime)) throw std::invalid_argument("demand: not free from " + std::to_string(start) + " to " + std::to_string(start + walltime));
        profile_.take_between(start - now_, start - now_ + walltime, checked(demand, walltime));
    }
    void release(const Ints& demand, std::int64_t start, std::int64_t walltime) {
        if (start < now_) throw std::invalid_argument("start: " + std::to_string(start) + " lies before the profile, which begins at " + std::to_string(now_));
        const auto wanted = checked(demand, walltime);
        Profile<std::dynamic_extent> changed = profile_;
        changed.give_between(start - now_, start - now_ + walltime, wanted);
        for (std::size_t i = 0; i < changed.size(); ++i)
            for (std::size_t k = 0; k < capacities_.size(); ++k)
                if (changed.row(i)[k] > capacities_[k]) throw std::invalid_argument("demand: more would be free than the machine has");
        profile_ = std::move(changed);
    }

  private:
    std::int64_t now_;
    std::vector<std::int64_t> capacities_;
    Profile<std::dynamic_extent> profile_;

    Column checked(const Ints& demand, std::int64_t walltime) const {
        if (demand.size() != capacities_.size()) throw std::invalid_argument("demand: expected " + std::to_string(capacities_.size()) + " amounts, got " + std::to_string(demand.size()));
        if (walltime < 1 || walltime > never) throw std::invalid_argument("walltime: not from 1 to 2^60 seconds");
        for (std::size_t k = 0; k < capacities_.size(); ++k)
            if (demand.data()[k] < (k == 0) || demand.data()[k] > capacities_[k]) throw std::invalid_argument("demand: outside of what the machine has");
        return column(demand);
    }
};

}  // namespace

void bind_rounds(nb::module_& m) {
    nb::class_<OwnedRound>(m, "Round", "A round as the core sees it: checked copies of all columns.")
        .def("__init__", &make_round, nb::kw_only(), "now"_a, "capacities"_a, "running_end"_a, "running_amounts"_a, "submit"_a, "walltime"_a,
             "deadline"_a, "latest"_a, "user"_a, "amounts"_a, "past"_a, "planned"_a, "occupied"_a, "policy_state"_a, "window_start"_a, "window_end"_a,
             "window_amounts"_a, "ended_early"_a, "history_rows"_a, "history_past"_a, "history_running"_a)
        .def("__len__", &OwnedRound::size);
    m.def("decode", &decode, "round"_a, "order"_a, "The starts of a permutation's plan (s).");
    m.def("decode_repeatedly", &decode_repeatedly, "round"_a, "orders"_a, "times"_a, "Decode orders again and again, for measurements.");
    m.def("feasible_promises", &feasible_promises, "round"_a, "Promised latest starts that can all be kept (s), and a plan that does.");
    nb::class_<RoundProfile>(m, "Profile", "The availability profile of a round.")
        .def(nb::init<const OwnedRound&>(), "round"_a)
        .def_prop_ro("times", &RoundProfile::times)
        .def_prop_ro("free", &RoundProfile::free)
        .def("earliest", &RoundProfile::earliest, "demand"_a, "walltime"_a, "after"_a)
        .def("fits", &RoundProfile::fits, "demand"_a, "start"_a, "walltime"_a)
        .def("reserve", &RoundProfile::reserve, "demand"_a, "start"_a, "walltime"_a)
        .def("release", &RoundProfile::release, "demand"_a, "start"_a, "walltime"_a);
    nb::class_<Scenarios>(m, "Scenarios", "What the jobs of a round could turn out to take, drawn once for all of its plans.")
        .def_static("draw", [](const OwnedRound& round, std::size_t count, double risk, const Generator& generator) {
            Random rng = random_of(generator);
            return Scenarios::draw(round.view(), count, risk, rng);
        }, "round"_a, "count"_a, "risk"_a, "generator"_a)
        .def("__len__", &Scenarios::size);
}

}  // namespace planbatch
