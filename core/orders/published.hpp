// The keys of orders that studies compare. In the formulas, r is the walltime (s), n the processors, s the submit time
// (s, from the log's own zero) and w = now − s the wait so far (s).
#pragma once
#include "../user_history/expectation.hpp"
#include "../user_history/fair_share.hpp"
#include "order.hpp"

namespace planbatch::keys {

inline double r(const JobTable& jobs, std::size_t i) { return double(jobs.walltime[i]); }
inline double n(const JobTable& jobs, std::size_t i) { return double(jobs.procs[i]); }
inline double w(const JobTable& jobs, std::size_t i, std::int64_t now) { return double(now - jobs.submit[i]); }
inline double log10_of(std::int64_t time) { return time > 0 ? std::log10(double(time)) : -1.0; }  // that of 0.1 if it is not positive

inline double shortest(const JobTable& jobs, std::size_t i, std::int64_t) { return r(jobs, i); }
inline double longest(const JobTable& jobs, std::size_t i, std::int64_t) { return -r(jobs, i); }
inline double smallest(const JobTable& jobs, std::size_t i, std::int64_t) { return n(jobs, i); }
inline double largest(const JobTable& jobs, std::size_t i, std::int64_t) { return -n(jobs, i); }
inline double smallest_area(const JobTable& jobs, std::size_t i, std::int64_t) { return n(jobs, i) * r(jobs, i); }
inline double largest_area(const JobTable& jobs, std::size_t i, std::int64_t) { return -(n(jobs, i) * r(jobs, i)); }
inline double earliest_deadline(const JobTable& jobs, std::size_t i, std::int64_t) { return double(jobs.deadline[i]); }

// LXF (Chiang et al., JSSPP 2002): −(w + r) / r.
inline double largest_expansion(const JobTable& jobs, std::size_t i, std::int64_t now) { return -(w(jobs, i, now) + r(jobs, i)) / r(jobs, i); }
// WFP1, WFP3, UNICEF, FAT (Tang et al., Cluster 2009).
inline double wfp1(const JobTable& jobs, std::size_t i, std::int64_t now) { return -(w(jobs, i, now) / r(jobs, i)) * n(jobs, i); }
inline double wfp3(const JobTable& jobs, std::size_t i, std::int64_t now) {
    const double ratio = w(jobs, i, now) / r(jobs, i);
    return -(ratio * ratio * ratio) * n(jobs, i);
}
inline double unicef(const JobTable& jobs, std::size_t i, std::int64_t now) {
    return -w(jobs, i, now) / (std::max(std::log2(n(jobs, i)), 1e-9) * r(jobs, i));  // serial jobs come first
}
inline double fat(const JobTable& jobs, std::size_t i, std::int64_t now) {
    const double size = n(jobs, i);
    return -(w(jobs, i, now) / r(jobs, i)) * (size * size * size);
}
// SRF (Carastan-Santos et al., CCGrid 2019).
inline double smallest_ratio(const JobTable& jobs, std::size_t i, std::int64_t) { return r(jobs, i) / n(jobs, i); }
// F1 … F4 (Carastan-Santos and de Camargo, SC 2017, Table 3).
inline double f1(const JobTable& jobs, std::size_t i, std::int64_t) {
    return log10_of(jobs.walltime[i]) * n(jobs, i) + 870.0 * log10_of(jobs.submit[i]);
}
inline double f2(const JobTable& jobs, std::size_t i, std::int64_t) {
    return std::sqrt(r(jobs, i)) * n(jobs, i) + 25600.0 * log10_of(jobs.submit[i]);
}
inline double f3(const JobTable& jobs, std::size_t i, std::int64_t) { return r(jobs, i) * n(jobs, i) + 6860000.0 * log10_of(jobs.submit[i]); }
inline double f4(const JobTable& jobs, std::size_t i, std::int64_t) {
    return r(jobs, i) * std::sqrt(n(jobs, i)) + 530000.0 * log10_of(jobs.submit[i]);
}
// Smith's rule if run times are uncertain (Rothkopf 1966): n · E[run], and the same with waits weighted as in slowdowns.
inline double expected_area(const JobTable& jobs, std::size_t i, std::int64_t) { return n(jobs, i) * expected_run(jobs, i); }
inline double expected_slowdown(const JobTable& jobs, std::size_t i, std::int64_t) {
    return n(jobs, i) * expected_run(jobs, i) / expected_rate(jobs, i);
}

}  // namespace planbatch::keys

namespace planbatch {

// The order of deadline-based backfilling: urgent jobs, those without a deadline, the others; FCFS in each group. A job
// is urgent if its latest start lies within the time that the whole queue needs at least: Σ n · r / largest n.
class RegularFirst : public QueueOrder {
  public:
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        const std::size_t n = jobs.size();
        keys.resize(n);
        if (n == 0) return;
        double area = 0.0;
        for (std::size_t i = 0; i < n; ++i) area += double(jobs.procs[i]) * double(jobs.walltime[i]);
        const double horizon = double(now) + area / double(*std::max_element(jobs.procs.begin(), jobs.procs.end()));
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t group = 1;
            if (jobs.deadline[i] != never) group = double(jobs.deadline[i] - jobs.walltime[i]) < horizon ? 0 : 2;
            keys[i] = double(group * n + i);
        }
    }
};

// Orders by what is expected of the users' past.
template <double (*key_of)(const JobTable&, std::size_t, std::int64_t)>
class OrderByExpectation : public OrderByKey<key_of> {
  public:
    std::shared_ptr<const History> history() const override { return std::make_shared<ExpectedRunTimes>(); }
};

// Slurm's multifactor priority, largest first: the weighted sum of age, fair-share and size.
class Multifactor : public QueueOrder {
  public:
    Multifactor(double age, double fairshare, double size, double max_age, double half_life)
        : age_(age), fairshare_(fairshare), size_(size), max_age_(max_age), half_life_(half_life) {}
    auto arguments() const { return std::tie(age_, fairshare_, size_, max_age_, half_life_); }
    std::shared_ptr<const History> history() const override { return std::make_shared<FairShare>(half_life_); }
    void keys(const JobTable& jobs, std::int64_t now, std::vector<double>& keys) const override {
        keys.resize(jobs.size());
        const bool known = jobs.past.columns > FairShare::size;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = -age_ * std::min(1.0, double(now - jobs.submit[i]) / max_age_);
            keys[i] -= fairshare_ * (known ? jobs.past(i, FairShare::share) : 1.0);
            keys[i] -= size_ * (known ? jobs.past(i, FairShare::size) : 0.0);
        }
    }

  private:
    double age_, fairshare_, size_, max_age_, half_life_;
};

}  // namespace planbatch
