// Gradient-boosted trees for a quantile of the quotient of run time and request (Friedman, Annals of Statistics 29,
// 2001; the pinball loss of a quantile: Koenker, Bassett, Econometrica 46, 1978).
//
// Python grows the trees now and then, between two rounds, from the features of jobs that have ended, and writes them
// into the state; here jobs are described and predicted as they are submitted. Trees are full and numbered as heaps.
#pragma once
#include <array>

#include "new_jobs.hpp"
#include "user_jobs.hpp"

namespace planbatch {

class Boosted : public History {
  public:
    static constexpr std::size_t prediction = 1;  // the column of `past` (s)
    static constexpr std::size_t features = 13, first_feature = UserJobs::chain, kept = first_feature + features;
    static constexpr std::size_t most_trees = 100, depth = 3, leaves = std::size_t{1} << depth, nodes = 2 * leaves - 1;
    // A node has its feature, and the threshold up to which it goes left; of a leaf, the second is its value.
    static constexpr std::size_t node_numbers = 2, tree_numbers = nodes * node_numbers;
    // What is stored for all jobs: the number of trees, the first prediction, how many jobs have ended and how many had at the
    // last lesson, and the trees.
    static constexpr std::size_t trees = 0, base = 1, ended = 2, learned = 3, first_tree = 4;
    static constexpr std::size_t shared = first_tree + most_trees * tree_numbers;

    Boosted() : History({UserJobs::width, 1, kept, shared}) {}

    // Predicts each job at its submission, by the trees of the last lesson; the request before the first.
    void update(std::span<const Event> events, HistoryState& state, const JobTable&, Table<double> past, std::int64_t) const override {
        const UserJobs users(state, shared, kept);
        const std::span<double> model = state.shared(shared);
        NewJobs coming(past, prediction);
        for (const Event& event : events) {
            if (event.kind == Event::submitted) {
                const std::span<double> own = users.of_job(std::size_t(event.job)), x = own.subspan(first_feature);
                own[UserJobs::submit] = double(event.time);
                describe(users, event, x);
                const double part = model[trees] != 0.0 ? value(model, x) : 1.0;
                coming.predict(std::max(std::floor(part * double(event.walltime)), 1.0));
            } else if (event.kind == Event::started) {
                users.note_start(event);
            } else {
                model[ended] += 1.0;
                users.note_end(event);
            }
        }
    }

    // What the trees predict of a job with these features, from the numbers that are stored for all jobs.
    static double value(std::span<const double> model, std::span<const double> x) {
        double total = 0.0;
        const auto count = std::size_t(std::min(std::max(model[trees], 0.0), double(most_trees)));
        for (std::size_t tree = 0; tree < count; ++tree) total += leaf_of(model.subspan(first_tree + tree * tree_numbers, tree_numbers), x);
        return model[base] + total;
    }

  private:
    // What is known of a job that is submitted; −1 stands for what is not known. Request, processors, and these relative
    // to the user's; the mean quotient of her jobs; the run times of the last ones, relative to the request; since when
    // the last one has ended; what of hers runs, and since when; time of day.
    static void describe(const UserJobs& users, const Event& event, std::span<double> x) {
        const std::span<const double> row = users.row(event);
        const double now = double(event.time), request = double(event.walltime), procs = double(event.procs);
        const std::size_t known = users.known(row);
        x[0] = std::log(request);
        x[1] = std::log(procs);
        x[2] = known ? row[UserJobs::quotient] : -1.0;
        x[3] = known ? row[UserJobs::seconds] / row[UserJobs::jobs] / request : -1.0;
        x[4] = known ? procs / (row[UserJobs::procs] / row[UserJobs::jobs]) : -1.0;
        x[5] = known ? std::log(1.0 + now - row[UserJobs::last_end]) : -1.0;
        for (std::size_t place = 0; place < UserJobs::known_singly; ++place)
            x[6 + place] = place < known ? row[UserJobs::ran + place] / request : -1.0;
        x[9] = row[UserJobs::running];
        x[10] = row[UserJobs::running] != 0.0 ? (now - users.oldest_start(row)) / request : -1.0;
        x[11] = std::log(1.0 + row[UserJobs::jobs]);
        x[12] = double(seconds_into(86400, event.time)) / 3600.0;
    }

    static double leaf_of(std::span<const double> tree, std::span<const double> x) {
        std::size_t node = 0;
        for (std::size_t level = 0; level < depth; ++level) {
            const double feature = tree[node * node_numbers];  // Python can write any
            const std::size_t which = feature > 0.0 ? std::size_t(std::min(feature, double(features - 1))) : 0;
            node = 2 * node + 1 + std::size_t(x[which] > tree[node * node_numbers + 1]);
        }
        return tree[node * node_numbers + 1];
    }
};

}  // namespace planbatch
