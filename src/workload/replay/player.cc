#include "workload/replay/player.h"

#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "workload/replay/tree.h"

namespace headrace::workload::replay {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kProgressNs = 100'000'000, kSpinNs = 100'000;

uint64_t now() { return base::clock_ns(CLOCK_MONOTONIC); }

void wait_until(uint64_t time, const std::function<bool()>& stopped) {
  for (uint64_t at = now(); at + kSpinNs < time && !stopped(); at = now()) {
    const uint64_t left = std::min(time - kSpinNs / 2 - at, kProgressNs);
    const timespec span = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
    nanosleep(&span, nullptr);
  }
  while (now() < time && !stopped()) {
  }
}

}  // namespace

Result<std::unique_ptr<Player>> Player::make(const Recording& job, const Plan& plan, std::vector<Step> steps,
                                             Ranks& ranks, PlayerSettings settings) {
  std::unique_ptr<Player> player(new Player(job, plan, std::move(steps), ranks, std::move(settings)));
  uint32_t slots = 0;
  uint64_t asked = 0, moved = 0;
  for (const Step& step : player->steps_) {
    if (step.slot != kNone) slots = std::max(slots, step.slot + 1);
    asked = std::max(asked, step.bytes);
    moved = std::max(moved, step.moved);
  }
  auto buffer = Buffer::make(asked, moved);
  const Status ready = buffer.ok() ? player->mpi_.make(ranks, plan.groups) : buffer.status();
  if (!ready.ok()) return ready;
  player->buffer_ = std::move(*buffer);
  player->descriptors_.assign(slots, -1);
  player->streams_.assign(slots, nullptr);
  player->directories_.assign(slots, nullptr);
  player->files_.assign(slots, 0);
  player->mpi_open_.assign(slots, false);
  // Whole, since symbolic links are made of these names, too.
  std::string root = player->settings_.root;
  char here[PATH_MAX];
  if (!root.starts_with('/') && getcwd(here, sizeof here) != nullptr) root = std::string(here) + "/" + root;
  for (const std::string& path : job.paths) player->paths_.push_back(root + "/" + name_below(path));
  return player;
}

Player::~Player() {
  for (size_t slot = 0; slot < descriptors_.size(); ++slot) {
    if (directories_[slot] != nullptr)
      closedir(directories_[slot]);
    else if (streams_[slot] != nullptr)
      fclose(streams_[slot]);
    else if (descriptors_[slot] >= 0)
      close(descriptors_[slot]);
  }
}

Result<Played> Player::play() {
  Adder adder(job_.functions);
  ranks_.wait_for_all();
  played_.begin_ns = base::clock_ns(CLOCK_REALTIME);
  const uint64_t begin = now();
  uint64_t told = begin;
  end_ = begin;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (settings_.stopped()) return Status(Code::kLimit, "interrupted");
    if (settings_.think && i > 0 && !step.extra) think(step, steps_[i - 1]);
    const uint64_t before = now();
    const int64_t result = perform(step);
    end_ = now();
    if (step.action == Action::kWaitForAll) continue;
    played_.extra_calls += step.extra;
    if (!step.extra) {
      const uint64_t moved = result > 0 ? static_cast<uint64_t>(result) : 0;
      adder.add(step.function, step.path, step.offset, moved, end_ - before, result < 0);
      compare(step, result);
    }
    if (!settings_.progress || end_ - told < kProgressNs) continue;
    settings_.progress(static_cast<double>(i) / static_cast<double>(steps_.size()));
    told = end_;
  }
  played_.duration_ns = end_ - begin;
  ranks_.wait_for_all();
  played_.functions = adder.sums();
  return std::move(played_);
}

/// As long as the job computed: what lay between the end of the call before and this one's begin, without MPI.
void Player::think(const Step& step, const Step& before) {
  const uint64_t end = before.begin_ns + before.duration_ns;
  if (step.begin_ns <= end) return;
  const uint64_t waited =
      step.process == before.process && step.waited_ns > before.waited_ns ? step.waited_ns - before.waited_ns : 0;
  const uint64_t between = step.begin_ns - end;
  if (between <= waited) return;
  const uint64_t until = end_ + (between - waited);
  wait_until(until, settings_.stopped);
  played_.late_ns += now() - std::min(until, now());
}

void Player::compare(const Step& step, int64_t result) {
  const bool failed = result < 0;
  const int error = errno;
  const bool moves = reads(step.action) || writes(step.action);
  const bool other_result = failed != step.failed;
  const bool other_bytes = !other_result && moves && !failed && static_cast<uint64_t>(result) != step.moved;
  played_.other_results += other_result;
  played_.other_bytes += other_bytes;
  if ((!other_result && !other_bytes) || !played_.first_other.empty()) return;
  std::string text = std::string(job_.functions[step.function].done.function) + " of " + job_.paths[step.path];
  if (other_bytes)
    text += " moved " + std::to_string(result) + " bytes, and " + std::to_string(step.moved) + " in the job";
  else if (failed)
    text += std::string(" failed: ") + (error == 0 ? "its library does not say why" : strerror(error));
  else
    text += " failed in the job, and did not here";
  played_.first_other = text;
}

int64_t Player::perform(const Step& step) {
  errno = 0;
  if (step.action == Action::kWaitForAll) return ranks_.wait_for_all(), 0;
  if (opens(step.action)) return open(step);
  if (converts(step.action)) return make_stream(step);
  if (!needs_open(step.action)) return on_name(step);
  switch (kind_of(step.action)) {
    case Kind::kMpi:
      return on_mpi(step);
    case Kind::kStream:
      return on_stream(step);
    case Kind::kDirectory:
      return on_directory(step);
    case Kind::kDescriptor:
      return on_descriptor(step);
  }
  return -1;
}

int64_t Player::on_mpi(const Step& step) {
  Mpi::Handle& file = files_[step.slot];
  if (!mpi_open_[step.slot]) return -1;
  int64_t moved = 0;
  int error = 0;
  if (step.action == Action::kMpiClose) {
    error = mpi_.close(&file);
    mpi_open_[step.slot] = false;
  } else if (step.action == Action::kMpiSync) {
    error = mpi_.sync(file);
  } else if (step.action == Action::kMpiSize) {
    error = mpi_.ask_size(file);
  } else {
    error = mpi_.transfer(step, file, buffer_.data(), &moved);
  }
  return error == 0 ? moved : -1;
}

}  // namespace headrace::workload::replay
