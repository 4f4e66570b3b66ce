#include "forward/server/appends.h"

#include <errno.h>
#include <string.h>

#include <algorithm>

#include "base/clock.h"
#include "forward/server/journal.h"
#include "forward/server/write_buffer.h"

namespace headrace::forward {
namespace {

constexpr size_t kBatchBytes = 1 << 20;  // copied together, to be written at once

bool reserves(const Call& call) { return (call.request.flags & kReserve) != 0; }

/// It was begun by a server that was killed, and has its place: what is there of it is written again.
bool has_place(const Call& call) { return call.before.has_value(); }

bool stands_alone(const Call& call) { return reserves(call) || has_place(call); }

}  // namespace

/// The bytes of all calls in a row; those of a single call where they are.
const uint8_t* Appends::together(const Batch& batch, std::vector<uint8_t>* row) {
  if (batch.calls.size() == 1) return batch.calls[0].call->data;
  for (const Waiting& each : batch.calls)
    row->insert(row->end(), each.call->data, each.call->data + each.call->header.data);
  return row->data();
}

HeldWrite Appends::pieces_of(const Batch& batch) {
  HeldWrite write;
  uint64_t at = batch.begin;
  for (const Waiting& each : batch.calls) {
    write.pieces.push_back({{at, each.call->request.size}, each.call->data, each.call->client});
    at += each.call->request.size;
  }
  return write;
}

void Appends::add(const Services& services, Pool* pool, std::shared_ptr<Call> call, Done done) {
  const auto file = services.handles->open(call->request.handle);
  const auto fail = [&](int error) { done(answer_append(services, *call, 0, error, {}, call->begun_ns, false)); };
  if (!file.ok()) return fail(file.error());
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Queue& queue = queues_[file->identity()];
    queue.waiting.push_back({std::move(call), std::move(done)});
    if (queue.at_work) return;
    queue.at_work = true;
  }
  if (pool == nullptr) return work(services, nullptr, *file);
  pool->add([this, &services, pool, file = *file] { work(services, pool, file); });
}

/// What is written together. A range without data is a batch of its own, since nothing may be written over it; so is
/// one that has its place.
std::vector<Appends::Waiting> Appends::next_batch(uint64_t identity) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& queue = queues_[identity];
  std::vector<Waiting> batch;
  uint64_t bytes = 0;
  while (!queue.waiting.empty()) {
    const Call& call = *queue.waiting.front().call;
    if (!batch.empty() && (stands_alone(call) || bytes + call.header.data > kBatchBytes)) break;
    bytes += call.header.data;
    batch.push_back(std::move(queue.waiting.front()));
    queue.waiting.pop_front();
    if (stands_alone(*batch.back().call)) break;
  }
  if (!batch.empty()) return batch;
  queues_.erase(identity);
  return batch;
}

void Appends::work(const Services& services, Pool* pool, const File& file) {
  for (auto batch = next_batch(file.identity()); !batch.empty(); batch = next_batch(file.identity())) {
    if (!write(services, pool, file, std::move(batch))) return;
  }
}

int Appends::sync(const Services& services, const File& file, OpenFile& opened) {
  const auto held = services.write_buffer->find(file);
  return held != nullptr ? held->sync() : opened.commit();
}

/// Takes a range for the batch: the end of the file as clients see it, with what is held of it.
bool Appends::take_range(const Services& services, const File& file, OpenFile& opened, Batch* batch) {
  const auto held = services.write_buffer->find(file);
  const uint64_t held_end = held == nullptr ? 0 : held->append_end();  // before the file is asked
  const auto attributes = opened.attributes();
  if (!attributes.ok()) {
    batch->error = attributes.error();
    return false;
  }
  const uint64_t taken = services.journal == nullptr ? 0 : services.journal->taken(file.identity());
  batch->begin = std::max({attributes->size, held_end, batch->least, taken});
  if (has_place(*batch->calls[0].call)) batch->begin = *batch->calls[0].call->before;
  if (batch->total > uint64_t{INT64_MAX} - batch->begin) batch->error = EFBIG;
  if (batch->error == 0 && reserves(*batch->calls[0].call)) batch->error = opened.extend(batch->begin + batch->total);
  return batch->error == 0;
}

/// False: it waits for memory, and the work goes on when there was some.
bool Appends::write(const Services& services, Pool* pool, const File& file, std::vector<Waiting> calls) {
  const auto batch = std::make_shared<Batch>();
  batch->begun_ns = base::clock_ns(CLOCK_MONOTONIC);
  bool through = false;
  for (const Waiting& each : calls) {
    batch->total += each.call->request.size;
    batch->least = std::max(batch->least, each.call->request.least);
    through = through || (each.call->request.flags & kThrough) != 0;
  }
  batch->calls = std::move(calls);
  const bool reserve = reserves(*batch->calls[0].call);
  const bool hold = services.write_buffer->on() && !through && !stands_alone(*batch->calls[0].call);
  const auto held =
      hold ? services.write_buffer->open(file) : Outcome<std::shared_ptr<HeldFile>>(std::shared_ptr<HeldFile>());
  const auto opened = held.ok() && *held != nullptr ? (*held)->opened() : services.backend->open(file, true);
  if (!opened.ok() || !take_range(services, file, **opened, batch.get())) {
    if (!opened.ok()) batch->error = opened.error();
    answer(services, *batch, {});
    return true;
  }
  if (held.ok() && *held != nullptr) {
    HeldWrite write = pieces_of(*batch);
    batch->held = true;
    write.done = [this, &services, pool, file, batch](const std::vector<BadRange>& failed) {
      answer(services, *batch, failed);
      pool->add([this, &services, pool, file] { work(services, pool, file); });
    };
    if (!(*held)->write(&write)) return false;
    answer(services, *batch, {});
    return true;
  }
  note(services, file, *batch);
  std::vector<BadRange> failed;
  if (!reserve) {
    std::vector<uint8_t> row;
    const OpenFile::Written written = (*opened)->write({batch->begin, batch->total}, together(*batch, &row));
    if (written.error != 0)
      failed.push_back(
          {static_cast<uint32_t>(written.error), {batch->begin + written.bytes, batch->total - written.bytes}});
    else if (through)
      batch->error = sync(services, file, **opened);
  }
  answer(services, *batch, failed);
  return true;
}

/// Where they go, before they are written there.
void Appends::note(const Services& services, const File& file, const Batch& batch) {
  if (services.journal == nullptr) return;
  uint64_t at = batch.begin;
  for (const Waiting& each : batch.calls) {
    const uint64_t end = at + each.call->request.size;
    services.journal->begin(each.call->client, each.call->header.id, at, file.identity(), end);
    at = end;
  }
}

void Appends::answer(const Services& services, const Batch& batch, const std::vector<BadRange>& failed) {
  uint64_t at = batch.begin;
  for (const Waiting& each : batch.calls) {
    const uint64_t end = at + each.call->request.size;
    int error = batch.error;
    Extent rest;
    for (const BadRange& bad : failed) {
      if (rest.length > 0 || bad.where.offset >= end || bad.where.offset + bad.where.length <= at) continue;
      error = static_cast<int>(bad.error);
      rest.offset = std::max(at, bad.where.offset);
      rest.length = end - rest.offset;
    }
    each.done(answer_append(services, *each.call, at, error, rest, batch.begun_ns, batch.held));
    at = end;
  }
}

}  // namespace headrace::forward
