#pragma once
// A scan at work: what its threads share, and what the one that watches them does. Only for scan.cc and its parts.

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collect/scan/links.h"
#include "collect/scan/scan.h"
#include "collect/scan/state.h"
#include "collect/scan/walker.h"

namespace headrace::collect {

struct Scan::State : Crew {
  using Clock = std::chrono::steady_clock;
  State(ScanSettings wanted, std::string place) : pending(std::move(place)) { state.settings = std::move(wanted); }

  // Of the thread that calls run().
  base::Status open_roots();
  /// Whether all that was entered is still where it was, when a scan goes on.
  bool has_its_mounts() const;
  base::Status open_parts();
  void share_descriptors();
  base::Status run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch);
  void start_threads(std::vector<pthread_t>& threads);
  base::Status store();
  base::Status finish();
  void wait_until_rested(std::unique_lock<std::mutex>& lock);
  void watch_once(const std::function<void(const Progress&)>& watch);
  void take_all();

  // Of all threads.
  std::optional<Work> next() override;
  void found(uint32_t root, const std::string& parent, std::string names,
             std::shared_ptr<const Descriptor> directory) override;
  void hand_over(std::vector<Inode>& found_links) override;
  void hand_over(RowBuffer& buffer) override;
  void hand_over(Counts& counts) override;
  void problem(std::string path, std::string reason) override;
  bool is_to_rest() const override { return resting.load(std::memory_order_relaxed); }
  bool rest(const OpenDirectory& at) override;
  bool enter_mount(Mount mount) override;
  void fail(const base::Status& why) {
    if (failure.ok()) failure = why;
    rested.notify_one();
  }

  ScanState state;
  WalkFacts facts;
  std::vector<Descriptor> roots;
  std::unique_ptr<Places> places;
  std::optional<LinkFile> links;
  std::optional<RowFile> rows;
  std::vector<std::unique_ptr<Walker>> walkers;
  int64_t expected = 0, before = 0;
  Clock::time_point begun = Clock::now();

  std::mutex mutex;  // of all that follows, and of `links`, `rows` and the sums and problems of `state`
  std::condition_variable work, rested;
  Pending pending;
  std::vector<OpenDirectory> open;        // of which threads have stopped in the middle
  std::vector<OpenDirectory> unfinished;  // of an earlier run, to go on with
  std::set<Mount> mounts;
  unsigned idle = 0, standing = 0, running = 0;
  std::atomic<bool> resting = false;
  bool ending = false, interrupted = false;
  base::Status failure;
};

/// Nanoseconds since 1970.
int64_t now_utc_ns();

}  // namespace headrace::collect
