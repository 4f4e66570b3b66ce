#include "forward/server/appends.h"

#include <errno.h>
#include <string.h>

#include <algorithm>

#include "base/clock.h"

namespace headrace::forward {
namespace {

constexpr size_t kBatchBytes = 1 << 20;  // copied together, to be written at once
constexpr size_t kMostQueues = 65536;

bool reserves(const Call& call) { return (call.request.flags & kReserve) != 0; }

/// The bytes of all calls in a row; those of a single call where they are.
const uint8_t* together(const std::vector<std::shared_ptr<Call>>& calls, std::vector<uint8_t>* row) {
  if (calls.size() == 1) return calls[0]->data;
  for (const auto& call : calls) row->insert(row->end(), call->data, call->data + call->header.data);
  return row->data();
}

}  // namespace

void Appends::add(const Services& services, Pool* pool, std::shared_ptr<Call> call, Done done) {
  const auto file = services.handles->open(call->request.handle);
  const auto fail = [&](int error) { done(answer_append(services, *call, 0, error, {}, call->begun_ns)); };
  if (!file.ok()) return fail(file.error());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (queues_.size() >= kMostQueues && !queues_.contains(file->identity())) return fail(ENOBUFS);
    Queue& queue = queues_[file->identity()];
    queue.waiting.push_back({std::move(call), std::move(done)});
    if (queue.at_work) return;
    queue.at_work = true;
  }
  if (pool == nullptr) return work(services, *file);
  pool->add([this, &services, file = *file] { work(services, file); });
}

void Appends::forget(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto queue = queues_.find(file.identity());
  if (queue != queues_.end()) queue->second.end = 0;
}

/// What is written together. A range without data is a batch of its own, since nothing may be written over it.
std::vector<Appends::Waiting> Appends::next_batch(uint64_t identity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[identity];
  std::vector<Waiting> batch;
  uint64_t bytes = 0;
  while (!queue.waiting.empty()) {
    const Call& call = *queue.waiting.front().call;
    if (!batch.empty() && (reserves(call) || bytes + call.header.data > kBatchBytes)) break;
    bytes += call.header.data;
    batch.push_back(std::move(queue.waiting.front()));
    queue.waiting.pop_front();
    if (reserves(*batch.back().call)) break;
  }
  if (!batch.empty()) return batch;
  queue.at_work = false;
  if (queue.end == 0) queues_.erase(identity);
  return batch;
}

void Appends::work(const Services& services, const File& file) {
  for (auto batch = next_batch(file.identity()); !batch.empty(); batch = next_batch(file.identity()))
    write(services, file, batch);
}

void Appends::write(const Services& services, const File& file, std::vector<Waiting>& batch) {
  const uint64_t begun = base::clock_ns(CLOCK_MONOTONIC);
  const auto opened = services.backend->open(file, true);
  const auto attributes = opened.ok() ? (*opened)->attributes() : Outcome<Attributes>(Failed{opened.error()});
  if (!attributes.ok()) {
    for (Waiting& each : batch) each.done(answer_append(services, *each.call, 0, attributes.error(), {}, begun));
    return;
  }
  uint64_t total = 0;
  bool through = false;
  std::vector<std::shared_ptr<Call>> calls;
  for (const Waiting& each : batch) {
    calls.push_back(each.call);
    total += each.call->request.size;
    through = through || (each.call->request.flags & kThrough) != 0;
  }
  uint64_t begin;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[file.identity()];
    begin = std::max(queue.end, attributes->size);
    if (total > uint64_t{INT64_MAX} - begin) total = 0;
    queue.end = begin + total;
  }
  std::vector<uint8_t> row;
  OpenFile::Written written{total, 0};
  if (total == 0 && calls[0]->request.size != 0)
    written = {0, EFBIG};
  else if (!reserves(*calls[0]))
    written = (*opened)->write({begin, total}, together(calls, &row));
  const int stored = written.error == 0 && through ? (*opened)->commit() : 0;
  {
    // Where something was written the file knows its end by itself. Where nothing was, the next may have the range.
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[file.identity()];
    const bool is_end = written.bytes > 0 || begin == attributes->size;
    if (!reserves(*calls[0])) queue.end = is_end ? 0 : begin;
  }
  uint64_t at = begin;
  for (Waiting& each : batch) {
    const uint64_t size = each.call->request.size;
    const uint64_t here = std::min(size, written.bytes - std::min(written.bytes, at - begin));
    const int error = here < size ? written.error : stored;
    const Extent rest{at + here, size - here};
    each.done(answer_append(services, *each.call, at, error, rest, begun));
    at += size;
  }
}

}  // namespace headrace::forward
