#include "workload/emulation/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

namespace headrace::workload::emulation {
namespace {

bool is_gone(uint32_t process) { return kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH; }

/// In the place of one that is gone, or in a new one; more than kMembers are not noted, and do not keep the file.
void become_member(State& state) {
  const auto me = static_cast<uint32_t>(getpid());
  for (auto& member : state.members) {
    uint32_t there = member.load(std::memory_order_relaxed);
    if (there == me) return;
    if (there != 0 && !is_gone(there)) continue;
    if (member.compare_exchange_strong(there, me, std::memory_order_relaxed)) return;
  }
}

}  // namespace

State* join_state(const char* path, const FileCalls& calls) {
  const int file = calls.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return nullptr;
  // Storing into a mapped file that finds no room ends a process, so the room is taken before.
  int error = calls.fallocate(file, 0, sizeof(State));
  void* mapped = MAP_FAILED;
  if (error == 0) {
    mapped = calls.mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    error = errno;
  }
  calls.close(file);
  if (mapped == MAP_FAILED) {
    errno = error;
    return nullptr;
  }
  auto* state = static_cast<State*>(mapped);
  become_member(*state);
  return state;
}

bool has_others(const State& state) {
  const auto me = static_cast<uint32_t>(getpid());
  for (const auto& member : state.members) {
    const uint32_t there = member.load(std::memory_order_relaxed);
    if (there != 0 && there != me && !is_gone(there)) return true;
  }
  return false;
}

std::string counts_json(const State& state) {
  std::string text;
  for (size_t i = 0; i < static_cast<size_t>(Counted::kEnd); ++i)
    text += std::string(text.empty() ? "{" : ", ") + "\"" + kCountedNames[i] +
            "\": " + std::to_string(state.counts[i].load(std::memory_order_relaxed));
  return text + "}";
}

/// Whoever comes between the look and the removal has a state of its own; so it is when nobody is left.
void leave_state(State& state, const char* path, const FileCalls& calls) {
  const auto me = static_cast<uint32_t>(getpid());
  for (auto& member : state.members) {
    uint32_t there = me;
    member.compare_exchange_strong(there, 0, std::memory_order_relaxed);
  }
  if (!has_others(state)) calls.unlink(path);
}

}  // namespace headrace::workload::emulation
