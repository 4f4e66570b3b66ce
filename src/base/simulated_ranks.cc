#include "base/simulated_ranks.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>

namespace headrace::base {
namespace {

class Simulator;

struct Message {
  int from;
  std::vector<uint8_t> bytes;
};

class Rank : public Communicator {
 public:
  Rank(Simulator& simulator, int rank) : simulator_(simulator), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override;
  Status exchange(int to, Bytes out, int from, std::vector<uint8_t>* in) override;

  ucontext_t context{};
  void* stack = nullptr;
  std::vector<Message> mail;  // few at any time; an empty deque has half a kibibyte
  int awaited = kNobody;      // whose message it sleeps for
  bool alone = false;         // no message will come
  uint64_t received = 0;

 private:
  bool take(int from, std::vector<uint8_t>* in);

  Simulator& simulator_;
  int rank_;
};

class Simulator {
 public:
  Simulator(int size, const std::function<void(Communicator&)>& program, SimulationOptions options)
      : program_(program), options_(options) {
    for (int i = 0; i < size; ++i) ranks_.push_back(std::make_unique<Rank>(*this, i));
    for (int i = 0; i < size; ++i) ready_.push_back(i);
  }

  Simulation run() {
    running_ = this;
    while (finished_ < ranks_.size()) {
      if (ready_.empty()) wake_the_lonely();
      current_ = ready_.front();
      ready_.pop_front();
      resume(*ranks_[static_cast<size_t>(current_)]);
    }
    for (const auto& rank : ranks_) done_.most_received = std::max(done_.most_received, rank->received);
    running_ = nullptr;
    return done_;
  }

  int size() const { return static_cast<int>(ranks_.size()); }

  void send(int from, int to, Bytes bytes) {
    Rank& rank = *ranks_[static_cast<size_t>(to)];
    rank.mail.push_back({from, {bytes.begin(), bytes.end()}});
    rank.received += bytes.size();
    ++done_.messages;
    done_.bytes += bytes.size();
    if (rank.awaited != from) return;
    rank.awaited = kNobody;
    ready_.push_back(to);
  }

  void sleep(Rank& rank, int from) {
    rank.awaited = from;
    if (ranks_.size() >= kMany) give_back(rank);
    swapcontext(&rank.context, &scheduler_);
  }

 private:
  // From so many ranks on memory is dearer than time.
  static constexpr size_t kMany = 1 << 17;
  static constexpr size_t kPage = 4096;

  /// Pages of a stack that deeper calls used and this sleep does not need.
  void give_back(const Rank& rank) const {
    const auto begin = reinterpret_cast<uintptr_t>(rank.stack);
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    const uintptr_t end = (here - 2 * kRedZone) / kPage * kPage;
    if (end > begin) madvise(rank.stack, end - begin, MADV_DONTNEED);
  }
  static constexpr uintptr_t kRedZone = 1024;  // what swapcontext and its caller may use below this frame

  static void enter() {
    Simulator& self = *running_;
    Rank& rank = *self.ranks_[static_cast<size_t>(self.current_)];
    self.program_(rank);
    ++self.finished_;
    self.ended_ = &rank;
    setcontext(&self.scheduler_);
  }

  void resume(Rank& rank) {
    if (rank.stack == nullptr) {
      rank.stack = mmap(nullptr, options_.stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (rank.stack == MAP_FAILED) std::abort();
      getcontext(&rank.context);
      rank.context.uc_stack.ss_sp = rank.stack;
      rank.context.uc_stack.ss_size = options_.stack_bytes;
      makecontext(&rank.context, enter, 0);
    }
    ended_ = nullptr;
    swapcontext(&scheduler_, &rank.context);
    if (ended_ != nullptr) munmap(ended_->stack, options_.stack_bytes);
  }

  void wake_the_lonely() {
    for (const auto& rank : ranks_) {
      if (rank->awaited == kNobody) continue;
      rank->awaited = kNobody;
      rank->alone = true;
      ready_.push_back(rank->rank());
      return;  // it may have something to tell the others
    }
  }

  static inline Simulator* running_ = nullptr;
  const std::function<void(Communicator&)>& program_;
  SimulationOptions options_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::deque<int> ready_;
  ucontext_t scheduler_{};
  Rank* ended_ = nullptr;
  int current_ = 0;
  size_t finished_ = 0;
  Simulation done_;
};

int Rank::size() const { return simulator_.size(); }

bool Rank::take(int from, std::vector<uint8_t>* in) {
  const auto found = std::find_if(mail.begin(), mail.end(), [&](const Message& each) { return each.from == from; });
  if (found == mail.end()) return false;
  *in = std::move(found->bytes);
  mail.erase(found);
  return true;
}

Status Rank::exchange(int to, Bytes out, int from, std::vector<uint8_t>* in) {
  if (to != kNobody) simulator_.send(rank_, to, out);
  if (from == kNobody) return {};
  while (!take(from, in)) {
    if (alone) return {Code::kIo, "rank " + std::to_string(from) + " sends nothing to rank " + std::to_string(rank_)};
    simulator_.sleep(*this, from);
  }
  return {};
}

}  // namespace

Simulation simulate_ranks(int size, const std::function<void(Communicator&)>& program, SimulationOptions options) {
  return Simulator(size, program, options).run();
}

}  // namespace headrace::base
