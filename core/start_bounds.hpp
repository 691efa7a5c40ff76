// Bounds within one decoding: breakpoints before which a job cannot start.
//
// Free amounts only shrink while jobs are placed, and breakpoints are only ever inserted, so an index remains a bound.
#pragma once
#include "profile.hpp"
#include "value_classes.hpp"

namespace planbatch {

// Processors alone: where jobs of each class of size and length were placed at the latest. A job at least as large and
// as long cannot start before it.
template <std::size_t K, class Number>
class StartBounds {
  public:
    static constexpr int most = 8;  // finer classes cost more than they save

    struct Classes {
        ValueClasses<most> size, length;
        void classify(const JobTable& jobs, std::size_t) { size.classify(jobs.procs), length.classify(jobs.walltime); }
    };

    void clear(const Classes&) { first_.fill(0); }
    std::size_t bound(const Classes& classes, std::size_t job, const Profile<K, Number>&) const {
        const int size = classes.size.within[job], length = classes.length.within[job];
        return size < 0 || length < 0 ? 0 : std::size_t(first_[std::size_t(size) * most + std::size_t(length)]);
    }
    void placed(const Classes& classes, std::size_t job, std::size_t at) {
        const int length = classes.length.above[job];
        if (length == most) return;
        const auto i = std::int32_t(at);
        std::array<std::int32_t, most> bounds;
        for (int c = 0; c < most; ++c) bounds[std::size_t(c)] = c < length ? 0 : i;
        for (int size = classes.size.above[job]; size < most; ++size) {
            std::int32_t* row = first_.data() + std::ptrdiff_t(size) * most;
            if (row[length] >= i) return;
            for (std::size_t c = 0; c < most; ++c) row[c] = std::max(row[c], bounds[c]);  // several at once
        }
    }

  private:
    std::array<std::int32_t, most * most> first_;
};

// Several resources: the first breakpoint at which as much of each is free as the lower limit of a class of demands.
template <std::size_t K, class Number>
    requires(K != 1)
class StartBounds<K, Number> {
  public:
    static constexpr int most = 12;

    struct Classes {
        std::vector<ValueClasses<most>> of;  // of each resource
        void classify(const JobTable& jobs, std::size_t width) {
            of.resize(width);
            for (std::size_t k = 0; k < width; ++k) of[k].classify(jobs.amounts, width, k);
        }
    };

    void clear(const Classes& classes) { first_.assign(classes.of.size() * most, 0); }
    std::size_t bound(const Classes& classes, std::size_t job, const Profile<K, Number>& profile) {
        std::size_t latest = 0;
        for (std::size_t k = 0; k < classes.of.size(); ++k) {
            const int c = classes.of[k].within[job];
            if (c < 0) continue;
            std::size_t& first = first_[k * most + std::size_t(c)];
            const auto limit = Number(classes.of[k].limit(std::size_t(c)));
            while (profile.row(first)[k] < limit) ++first;  // ends: the last breakpoint covers every job
            latest = std::max(latest, first);
        }
        return latest;
    }
    void placed(const Classes&, std::size_t, std::size_t) {}

  private:
    std::vector<std::size_t> first_;
};

}  // namespace planbatch
