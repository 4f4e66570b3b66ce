// How many writes a file got, and how many of them are known to be stored: who closes it must know both.
#pragma once
#include <atomic>
#include <cstdint>

namespace headrace::forward::mount {

/// Safe in any thread.
class Writes {
 public:
  /// One was answered. It counts from before its writer knows of it, so that the writer's own close() finds it.
  void add() { ++answered_; }
  /// What a commit brings that begins now; less is certain, since writes come while it is under way.
  uint64_t now() const { return answered_; }
  /// A commit that began at `begun` has ended, and there is nothing more to be had of those writes.
  void settle(uint64_t begun) {
    for (uint64_t before = settled_; before < begun && !settled_.compare_exchange_weak(before, begun);) {
    }
  }
  bool unsettled() const { return settled_ < answered_; }

 private:
  std::atomic<uint64_t> answered_ = 0;
  std::atomic<uint64_t> settled_ = 0;
};

}  // namespace headrace::forward::mount
