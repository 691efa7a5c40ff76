// E-Loss: online regression that would rather predict too little, and weighs the errors of large jobs more.
//
// Gaussier, Glesser, Reis, Trystram: "Improving Backfilling by using Machine Learning to predict Running Times" (SC
// 2015). The features are those of the published code. The regression is that of Ross, Mineiro, Langford: "Normalized
// Online Learning" (UAI 2013): the error e of a prediction costs weight · e² if it is above the run time, weight · |e|
// if below.
#pragma once
#include <array>

#include "new_jobs.hpp"
#include "normalized_regression.hpp"
#include "user_jobs.hpp"

namespace planbatch {

class ELoss : public History {
  public:
    static constexpr std::size_t prediction = 1;  // the column of `past` (s)

    ELoss() : History({UserJobs::width, 1, kept, NormalizedRegression::numbers(features)}) {}

    // Predicts each job at its submission; learns its run time at its end.
    void update(std::span<const Event> events, HistoryState& state, const JobTable&, Table<double> past, std::int64_t) const override {
        const UserJobs users(state, shape().shared, kept);
        NormalizedRegression regression(state.shared(shape().shared), features);
        NewJobs coming(past, prediction);
        std::array<double, features> all;
        for (const Event& event : events) {
            const std::span<double> own = users.of_job(std::size_t(event.job)), plain_features = own.subspan(UserJobs::chain);
            if (event.kind == Event::submitted) {
                own[UserJobs::submit] = double(event.time);
                describe(users, event, plain_features);
                multiply(plain_features, all);
                coming.predict(std::max(std::floor(std::abs(regression.value(all))), 1.0));
            } else if (event.kind == Event::started) {
                users.note_start(event);
            } else {
                users.note_end(event);
                multiply(plain_features, all);
                const double ran = double(event.runtime);
                regression.learn(all, ran, 1.0 + std::log(double(event.procs) * ran));
            }
        }
    }

  private:
    static constexpr std::size_t plain = 19, paired = 17;  // a constant and 18 others; pairs are taken of those from 1 to 16
    static constexpr std::size_t features = plain + (paired - 1) * (paired - 2) / 2 + plain - 1;  // with 120 products, 18 squares
    static constexpr std::size_t kept = UserJobs::chain + plain;
    static constexpr double pi = 3.141592653589793;

    // The plain features of a job that is submitted.
    static void describe(const UserJobs& users, const Event& event, std::span<double> x) {
        const std::span<const double> row = users.row(event);
        const double now = double(event.time), request = double(event.walltime), procs = double(event.procs);
        const std::size_t known = users.known(row);
        x[0] = 1.0;
        for (std::size_t place = 0; place < UserJobs::known_singly; ++place) {
            x[1 + place] = request;
            if (place >= known) continue;
            // As in the published code: the run time only if the job would still run had it started at once.
            const double submit = row[UserJobs::submitted + place], ran = row[UserJobs::ran + place];
            x[1 + place] = std::min(request, submit + ran > now ? ran : now - submit);
        }
        x[4] = request;
        x[5] = known >= 2 ? 0.5 * (x[1] + x[2]) : x[1];
        x[6] = known == UserJobs::known_singly ? 0.33 * (x[1] + x[2] + x[3]) : x[5];
        x[7] = known ? row[UserJobs::seconds] / row[UserJobs::jobs] : 0.0;
        x[8] = known ? now - row[UserJobs::last_end] : 0.0;
        x[9] = known ? procs / (row[UserJobs::procs] / row[UserJobs::jobs]) : 0.0;
        x[10] = row[UserJobs::busy];
        x[11] = row[UserJobs::running] * now - row[UserJobs::starts];
        x[12] = row[UserJobs::running];
        x[13] = row[UserJobs::running] != 0.0 ? now - users.oldest_start(row) : 0.0;
        describe_time(event.time, x.subspan(14));
        x[18] = procs;
    }
    static void describe_time(std::int64_t now, std::span<double> x) {
        const double day = 2.0 * pi * double(seconds_into(86400, now)) / 86400.0;
        const double week = 2.0 * pi * double(seconds_into(604800, now)) / 604800.0;
        x[0] = std::cos(day), x[1] = std::sin(day), x[2] = std::cos(week), x[3] = std::sin(week);
    }
    // All features: the plain ones, the products of pairs, the squares.
    static void multiply(std::span<const double> x, std::span<double> all) {
        std::copy_n(x.begin(), plain, all.begin());
        std::size_t at = plain;
        for (std::size_t i = 1; i < paired; ++i)
            for (std::size_t j = i + 1; j < paired; ++j) all[at++] = x[i] * x[j];
        for (std::size_t i = 1; i < plain; ++i) all[at++] = x[i] * x[i];
    }
};

}  // namespace planbatch
