// The nodes that a search has visited, to cut those that an earlier one dominates: the same jobs placed at no higher
// cost, with the last start no later, and no less free from then on.
//
// Sets of jobs are bit masks. Each is hashed to a bucket of eight places, of which the ones written first are written
// over first; a bucket takes no memory before a node is stored in it.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace planbatch {

template <class Profile>
class TranspositionTable {
  public:
    static constexpr std::size_t ways = 8;
    static constexpr std::size_t most_jobs = 62;  // of a set

    explicit TranspositionTable(std::size_t nodes) : bucket_of_(std::bit_floor(std::max(nodes / ways, std::size_t{1})), empty) {}

    // Whether an earlier node dominates this one; if not, it is stored. The set is not empty.
    bool dominate(std::uint64_t set, double cost, const Profile& profile) {
        Bucket& bucket = bucket_at((set * 0x9E3779B97F4A7C1) >> 20 & (bucket_of_.size() - 1));
        std::size_t spot = stored_ % ways;
        for (std::size_t place = 0; place < ways; ++place) {
            const Entry& entry = bucket[place];
            if (entry.set == 0) {
                spot = place;
                break;
            }
            if (entry.set == set && entry.cost <= cost && entry.profile.begin() <= profile.begin() && entry.profile.covers(profile)) return true;
        }
        ++stored_;
        Entry& written = bucket[spot];
        written.set = set, written.cost = cost, written.profile = profile;
        return false;
    }

  private:
    struct Entry {
        std::uint64_t set = 0;
        double cost = 0.0;
        Profile profile;
    };
    using Bucket = std::array<Entry, ways>;
    static constexpr std::uint32_t empty = static_cast<std::uint32_t>(-1);
    std::vector<std::uint32_t> bucket_of_;
    std::vector<Bucket> buckets_;
    std::size_t stored_ = 0;

    Bucket& bucket_at(std::size_t home) {
        std::uint32_t& bucket = bucket_of_[home];
        if (bucket == empty) {
            bucket = std::uint32_t(buckets_.size());
            buckets_.emplace_back();
        }
        return buckets_[bucket];
    }
};

}  // namespace planbatch
