// How long computations are ended from outside: everything that takes long polls now and then.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace planbatch {

class Cancelled : public std::runtime_error {
  public:
    Cancelled() : std::runtime_error("cancelled by another thread") {}
};

class Interrupt {
  public:
    // Looks for Ctrl-C, and throws if there was one; set by the bindings.
    inline static void (*check_signals)() = nullptr;

    // Ends what the other threads compute at this moment.
    static void cancel_all() { generation_.fetch_add(1); }
    // The same; whatever would begin from now on is cancelled at once.
    static void end_all() {
        ended_.store(true);
        cancel_all();
    }
    // Exists while this thread computes something that can be ended.
    class Scope {
      public:
        Scope() : before_(begun_) {
            if (ended_.load()) throw Cancelled();
            begun_ = generation_.load();
            running_.fetch_add(1);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope() {
            begun_ = before_;
            running_.fetch_sub(1);
        }

      private:
        unsigned before_;
    };
    // Whether any thread computes.
    static bool is_running() { return running_.load() > 0; }
    // Cheap: looks at the clock once in 64 calls, or more often if these take long, and for signals every 50 ms.
    static void poll() {
        thread_local unsigned skipped = 0, interval = 64;
        thread_local std::chrono::steady_clock::time_point last{}, looked{};
        if (++skipped < interval) return;
        skipped = 0;
        const auto now = std::chrono::steady_clock::now();
        interval = now - looked > std::chrono::milliseconds(10) ? 1 : std::min(2 * interval, 64u);
        looked = now;
        if (now - last < std::chrono::milliseconds(50)) return;
        last = now;
        if (begun_ != generation_.load()) throw Cancelled();
        if (check_signals) check_signals();
    }

  private:
    inline static std::atomic<unsigned> generation_{0};
    inline static std::atomic<int> running_{0};
    inline static std::atomic<bool> ended_{false};
    inline static thread_local unsigned begun_ = 0;
};

}  // namespace planbatch
