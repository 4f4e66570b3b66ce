#include "workload/run/executor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/backend/failure.h"
#include "workload/plan/box.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kProgressTicks = 200'000'000;  // 0.05 to 0.2 s

}  // namespace

Executor::Executor(const Pattern& pattern, Backend& backend, Ranks& ranks, ExecutorSettings settings)
    : pattern_(pattern),
      backend_(backend),
      ranks_(ranks),
      settings_(std::move(settings)),
      contents_(settings_.seed, pattern.largest_transfer()),
      buffer_(pattern.largest_transfer()),
      keeps_(backend.keeps()) {}

std::string Executor::path_of(uint32_t file) const { return settings_.directory + "/" + pattern_.file(file).name; }

Result<PhaseFigures> Executor::run(const Phase& phase) {
  // Of some patterns that is a walk through all of them.
  const double operations = settings_.progress ? static_cast<double>(pattern_.operations(phase, ranks_.rank())) : 0;
  uint64_t done = 0;
  PhaseFigures figures;
  ranks_.wait_for_all();
  const uint64_t blocks = backend_.block_writes();
  figures.begin_ns = base::clock_ns(CLOCK_REALTIME);
  const uint64_t begin_ns = base::monotonic_ns(), begin = base::ticks();
  end_ = told_ = begin;
  HEADRACE_TRY(pattern_.plan(phase, ranks_.rank(), [&](const Operation& operation) -> Status {
    if (stopped()) return {Code::kLimit, "interrupted"};
    if (!transfer(operation, figures)) HEADRACE_TRY(perform(operation, figures));
    ++done;
    if (!settings_.progress || end_ - told_ < kProgressTicks) return {};
    settings_.progress(phase, static_cast<double>(done) / operations);
    told_ = end_;
    return {};
  }));
  const uint64_t last = base::ticks(), last_ns = base::monotonic_ns();
  const double ns_of_tick =
      last > begin ? static_cast<double>(last_ns - begin_ns) / static_cast<double>(last - begin) : 1;
  for (CallFigures& calls : figures.calls) calls.scale(ns_of_tick);
  figures.duration_ns = static_cast<uint64_t>(static_cast<double>(end_ - begin) * ns_of_tick);
  figures.block_writes = backend_.block_writes() - blocks;
  ranks_.wait_for_all();  // what others read must be there
  return figures;
}

/// A look at the clock less: what is between two calls are some nanoseconds.
uint64_t Executor::since_last_call() {
  const uint64_t before = end_;
  end_ = base::ticks();
  return end_ - before;
}

bool Executor::transfer(const Operation& operation, PhaseFigures& figures) {
  if (operation.verb == Verb::kRead) {
    if (!backend_.read_at_once(operation, buffer_.data())) return false;
    figures[Verb::kRead].add(operation.bytes, since_last_call());
    const std::span<const uint8_t> bytes = std::span(buffer_).first(operation.bytes);
    if (keeps_ && (settings_.compare_all || !contents_.looks_right(operation.file, operation.offset, bytes)))
      compare(operation, operation.bytes, figures);
    return true;
  }
  if (operation.verb != Verb::kWrite || !backend_.write_at_once(operation, bytes_of(operation).data())) return false;
  figures[Verb::kWrite].add(operation.bytes, since_last_call());
  return true;
}

Status Executor::perform(const Operation& operation, PhaseFigures& figures) {
  uint64_t moved = operation.bytes;
  if (operation.verb == Verb::kRead) {
    HEADRACE_ASSIGN(moved, backend_.read(operation, std::span(buffer_).first(operation.bytes)));
  } else {
    HEADRACE_TRY(call(operation));
  }
  figures[operation.verb].add(moved, since_last_call());
  const bool gets = operation.verb == Verb::kRead || operation.verb == Verb::kReceive;
  if (gets && keeps_) compare(operation, moved, figures);
  return {};
}

void Executor::compare(const Operation& operation, uint64_t got, PhaseFigures& figures) const {
  const std::span<const uint8_t> bytes = std::span(buffer_).first(got);
  const auto difference = settings_.compare_all ? contents_.compare(operation.file, operation.offset, bytes)
                                                : contents_.glance(operation.file, operation.offset, bytes);
  const uint64_t missing = operation.bytes - got;
  if ((difference || missing > 0) && figures.wrong_bytes + figures.missing_bytes == 0) {
    const uint64_t number = difference ? difference->offset - operation.offset : got;
    figures.first_wrong_at = offset_of(pattern_.file(operation.file).shape, operation, number);
    figures.first_wrong_file = operation.file;
  }
  if (settings_.compare_all) figures.checked_bytes += operation.bytes;
  figures.missing_bytes += missing;
  if (difference) figures.wrong_bytes += difference->bytes;
}

std::span<const uint8_t> Executor::bytes_of(const Operation& operation) const {
  if (operation.received) return std::span(buffer_).first(operation.bytes);
  return contents_.at(operation.file, operation.offset, operation.bytes);
}

Status Executor::call(const Operation& operation) {
  const auto open = [&](Access access) {
    return backend_.open(operation.file, pattern_.file(operation.file), path_of(operation.file), access);
  };
  switch (operation.verb) {
    case Verb::kCreate:
      return open(Access::kCreate);
    case Verb::kOpenToWrite:
      return open(Access::kWrite);
    case Verb::kOpen:
      return open(Access::kRead);
    case Verb::kSync:
      return backend_.sync(operation.file);
    case Verb::kClose:
      return backend_.close(operation.file);
    case Verb::kWrite:
      return backend_.write(operation, bytes_of(operation));
    case Verb::kSend:
      ranks_.send(operation.peer, bytes_of(operation), operation.awaited);
      return {};
    case Verb::kReceive:
      ranks_.receive(operation.peer, std::span(buffer_).first(operation.bytes));
      return {};
    case Verb::kMakeGroup:
    case Verb::kMakeDataset:
    case Verb::kOpenDataset:
    case Verb::kCloseDataset:
    case Verb::kLink:
      return backend_.object(operation, pattern_.object(operation.file, operation.object));
    default:
      return call_by_name(operation);
  }
}

Status Executor::call_by_name(const Operation& operation) const {
  const std::string path = path_of(operation.file);
  struct stat info;
  switch (operation.verb) {
    case Verb::kStat:
      return stat(path.c_str(), &info) == 0 ? Status() : failure(path + ": stat");
    case Verb::kRemove:
      return unlink(path.c_str()) == 0 ? Status() : failure(path + ": unlink");
    case Verb::kMakeDirectory:
      return mkdir(path.c_str(), 0777) == 0 ? Status() : failure(path + ": mkdir");
    case Verb::kRemoveDirectory:
      return rmdir(path.c_str()) == 0 ? Status() : failure(path + ": rmdir");
    default:
      return {Code::kInvalid, path + ": no operation has number " + std::to_string(static_cast<int>(operation.verb))};
  }
}

}  // namespace headrace::workload
