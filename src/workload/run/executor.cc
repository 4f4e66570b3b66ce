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

constexpr uint64_t kProgressNs = 100'000'000;

uint64_t now() { return base::clock_ns(CLOCK_MONOTONIC); }

}  // namespace

Executor::Executor(const Pattern& pattern, Backend& backend, Ranks& ranks, ExecutorSettings settings)
    : pattern_(pattern),
      backend_(backend),
      ranks_(ranks),
      settings_(std::move(settings)),
      contents_(settings_.seed, pattern.largest_transfer()),
      buffer_(pattern.largest_transfer()) {}

std::string Executor::path_of(uint32_t file) const { return settings_.directory + "/" + pattern_.file(file).name; }

Result<PhaseFigures> Executor::run(const Phase& phase) {
  const double operations = static_cast<double>(pattern_.operations(phase, ranks_.rank()));
  uint64_t done = 0;
  PhaseFigures figures;
  ranks_.wait_for_all();
  figures.begin_ns = base::clock_ns(CLOCK_REALTIME);
  const uint64_t begin = now();
  end_ = told_ = begin;
  HEADRACE_TRY(pattern_.plan(phase, ranks_.rank(), [&](const Operation& operation) -> Status {
    if (stopped()) return {Code::kLimit, "interrupted"};
    HEADRACE_TRY(perform(operation, figures));
    ++done;
    if (!settings_.progress || end_ - told_ < kProgressNs) return {};
    settings_.progress(phase, static_cast<double>(done) / operations);
    told_ = end_;
    return {};
  }));
  figures.duration_ns = end_ - begin;
  ranks_.wait_for_all();  // what others read must be there
  return figures;
}

Status Executor::perform(const Operation& operation, PhaseFigures& figures) {
  uint64_t moved = operation.bytes;
  const uint64_t before = now();
  if (operation.verb == Verb::kRead) {
    HEADRACE_ASSIGN(moved, backend_.read(operation, std::span(buffer_).first(operation.bytes)));
  } else {
    HEADRACE_TRY(call(operation));
  }
  end_ = now();
  figures[operation.verb].add(moved, end_ - before);
  if (operation.verb == Verb::kRead && backend_.keeps()) compare(operation, moved, figures);
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

Status Executor::call(const Operation& operation) {
  const bool creates = operation.verb == Verb::kCreate;
  struct stat info;
  switch (operation.verb) {
    case Verb::kCreate:
    case Verb::kOpen:
      return backend_.open(operation.file, pattern_.file(operation.file), path_of(operation.file), creates);
    case Verb::kSync:
      return backend_.sync(operation.file);
    case Verb::kClose:
      return backend_.close(operation.file);
    case Verb::kStat:
      return stat(path_of(operation.file).c_str(), &info) == 0 ? Status() : failure(path_of(operation.file) + ": stat");
    case Verb::kRemove:
      return unlink(path_of(operation.file).c_str()) == 0 ? Status() : failure(path_of(operation.file) + ": unlink");
    case Verb::kWrite:
      return backend_.write(operation, contents_.at(operation.file, operation.offset, operation.bytes));
    case Verb::kRead:
    case Verb::kCount:
      break;
  }
  return {};
}

}  // namespace headrace::workload
