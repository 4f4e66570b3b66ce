#include "workload/run/executor.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "workload/backend/failure.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kProgressNs = 100'000'000;

uint64_t now() { return base::clock_ns(CLOCK_REALTIME); }

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
  const uint64_t operations = settings_.progress ? operations_in(pattern_, phase, ranks_.rank()) : 0;
  uint64_t done = 0, told_ns = now();
  PhaseFigures figures;
  ranks_.wait_for_all();
  figures.begin_ns = figures.end_ns = now();
  HEADRACE_TRY(pattern_.plan(phase, ranks_.rank(), [&](const Operation& operation) -> Status {
    if (stopped()) return {Code::kLimit, "interrupted"};
    HEADRACE_TRY(perform(operation, figures));
    ++done;
    if (operations > 0 && figures.end_ns - told_ns > kProgressNs) {
      told_ns = figures.end_ns;
      settings_.progress(phase, static_cast<double>(done) / static_cast<double>(operations));
    }
    return {};
  }));
  ranks_.wait_for_all();  // what others read must be there
  return figures;
}

Status Executor::perform(const Operation& operation, PhaseFigures& figures) {
  if (operation.verb == Verb::kRead) return read(operation, figures);
  const uint64_t before = figures.end_ns;
  const Status status = call(operation);
  figures.end_ns = now();
  figures[operation.verb].add(operation.bytes, figures.end_ns - before);
  return status;
}

Status Executor::read(const Operation& operation, PhaseFigures& figures) {
  const uint64_t before = figures.end_ns;
  HEADRACE_ASSIGN(const uint64_t got,
                  backend_.read(operation.file, operation.offset, std::span(buffer_).first(operation.bytes)));
  figures.end_ns = now();
  figures[Verb::kRead].add(got, figures.end_ns - before);
  if (backend_.keeps()) compare(operation, got, figures);
  return {};
}

void Executor::compare(const Operation& operation, uint64_t got, PhaseFigures& figures) const {
  const std::span<const uint8_t> bytes = std::span(buffer_).first(got);
  const auto difference = settings_.compare_all ? contents_.compare(operation.file, operation.offset, bytes)
                                                : contents_.glance(operation.file, operation.offset, bytes);
  const uint64_t missing = operation.bytes - got;
  if ((difference || missing > 0) && figures.wrong_bytes + figures.missing_bytes == 0) {
    figures.first_wrong_at = difference ? difference->offset : operation.offset + got;
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
      return backend_.open(operation.file, path_of(operation.file), creates, pattern_.file(operation.file).shared);
    case Verb::kSync:
      return backend_.sync(operation.file);
    case Verb::kClose:
      return backend_.close(operation.file);
    case Verb::kStat:
      return stat(path_of(operation.file).c_str(), &info) == 0 ? Status() : failure(path_of(operation.file) + ": stat");
    case Verb::kRemove:
      return unlink(path_of(operation.file).c_str()) == 0 ? Status() : failure(path_of(operation.file) + ": unlink");
    case Verb::kWrite:
      return backend_.write(operation.file, operation.offset,
                            contents_.at(operation.file, operation.offset, operation.bytes));
    case Verb::kRead:
    case Verb::kCount:
      break;
  }
  return {};
}

}  // namespace headrace::workload
