#include "capture/recorder/mpi_requests.h"

#include <string.h>

#include <algorithm>

#include "base/kernel.h"
#include "capture/recorder/events.h"
#include "capture/recorder/handle_table.h"

namespace headrace::capture::mpi {
namespace {

constexpr uint64_t kMostStatuses = 64 << 20;  // bytes

constinit HandleTable<Request, 2048> followed;
std::atomic<bool> some_not_followed;  // of persistent ones

Request* find(Handle handle, Request::Kind kind) {
  return followed.find(handle, [&](const Request& request) { return request.kind == kind && !request.in_hand; });
}

bool hands_over(const Request& request) {
  return (request.kind == Request::Kind::kSend || request.kind == Request::Kind::kOperation) && !request.in_hand;
}

/// Takes over a reference to the communicator.
bool follow(Handle handle, const Request& what) {
  Request* taken = handle != 0 ? followed.take(handle) : nullptr;
  if (!taken) {
    if (what.communicator) drop(what.communicator);
    const bool has_bytes = what.kind != Request::Kind::kFile;  // those counted when the transfer began
    if (spool.header && has_bytes) __atomic_fetch_add(&spool.header->lost_requests, 1, __ATOMIC_RELAXED);
    return false;
  }
  *taken = what;
  followed.publish(taken, handle);
  return true;
}

void forget(Request* request) {
  if (request->communicator) drop(request->communicator);
  followed.drop(request);
}

Communicator* kept(Handle comm) {
  Communicator* communicator = follows_messages() ? communicator_of(comm) : nullptr;
  if (communicator) keep(communicator);
  return communicator;
}

bool is_nobody(int peer) { return peer == found_library().proc_null; }

/// The communicator of a message that was taken from the queue, which is followed no more and must be dropped; null:
/// not known.
Communicator* message_received(Handle message) {
  Request* found = find(message, Request::Kind::kMessage);
  if (!found) return nullptr;
  Communicator* communicator = found->communicator;
  followed.drop(found);
  return communicator;
}

/// Room for as many of MPI's statuses, kept by the thread.
void* room_for_statuses(uint64_t bytes) {
  ensure_thread();
  if (!self || bytes > kMostStatuses) return nullptr;
  if (self->statuses_bytes >= bytes) return self->statuses;
  const uint64_t more = std::max<uint64_t>(bytes * 2, 16 << 10);
  void* memory = base::map_anonymous(more);
  if (!memory) return nullptr;
  if (self->statuses) base::unmap(self->statuses, self->statuses_bytes);
  self->statuses = memory;
  self->statuses_bytes = more;
  return memory;
}

/// Null: the program wanted none, and there was no room for our own.
const void* status_at(const void* statuses, int64_t index) {
  const Library& m = found_library();
  return statuses == m.status_ignore ? nullptr : static_cast<const char*>(statuses) + index * m.status_bytes;
}

}  // namespace

void Coming::record(Timed, uint64_t) const {
  if (is_nobody(peer)) return;
  if (!follow(handle_at(request, 0), {.communicator = kept(comm), .kind = Request::Kind::kReceive, .active = true}))
    miss_messages(1);
}

void Persistent::record(Timed, uint64_t) const {
  if (is_nobody(peer)) return;
  const Request made{.communicator = kept(comm),
                     .bytes = bytes,
                     .peer = peer,
                     .tag = tag,
                     .kind = sends ? Request::Kind::kSend : Request::Kind::kReceive,
                     .persistent = true,
                     .partitioned = partitioned};
  if (!follow(handle_at(request, 0), made)) some_not_followed.store(true, std::memory_order_relaxed);
}

void Taken::record(Timed, uint64_t) const {
  if (is) follow(handle_at(message, 0), {.communicator = kept(comm), .kind = Request::Kind::kMessage});
}

void follow_operation(const void* request, uint64_t bytes, const Together& each) {
  if (each.over) keep(each.over);
  const Request made{.communicator = each.over,
                     .bytes = bytes,
                     .root = each.root,
                     .put_in = each.put_in,
                     .got_out = each.got_out,
                     .kind = Request::Kind::kOperation,
                     .persistent = true};
  if (!follow(handle_at(request, 0), made)) some_not_followed.store(true, std::memory_order_relaxed);
}

void follow_transfer(const void* request, Handle file, DirectionIndex direction) {
  follow(handle_at(request, 0), {.file = file, .direction = direction, .kind = Request::Kind::kFile, .active = true});
}

uint64_t handed_by(int64_t count, const void* requests) {
  uint64_t bytes = 0;
  if (!follows_requests()) return 0;
  for (int64_t i = 0; i < count; ++i)
    if (const Request* sends = followed.find(handle_at(requests, i), hands_over)) bytes += sends->bytes;
  return bytes;
}

void Started::record(Timed time, uint64_t) const {
  for (int64_t i = 0; i < count; ++i) {
    const Handle handle = handle_at(requests, i);
    if (Request* receives = find(handle, Request::Kind::kReceive)) {
      receives->active = true;
    } else if (Request* sends = find(handle, Request::Kind::kSend)) {
      if (follows_messages()) record_send(sends->communicator, sends->peer, sends->tag, sends->bytes, time);
    } else if (Request* does = find(handle, Request::Kind::kOperation)) {
      if (follows_messages()) Together{does->communicator, does->root, does->put_in, does->got_out}.record(time, 0);
    } else if (some_not_followed.load(std::memory_order_relaxed)) {
      miss_messages(1);
    }
  }
}

void Cancelled::record(Timed, uint64_t) const {
  if (find(handle_at(request, 0), Request::Kind::kReceive))
    expect_cancelled();
  else if (!find(handle_at(request, 0), Request::Kind::kFile))
    miss_messages(1);  // its send was recorded, and may have been none
}

Request* request_to_free(const void* request) {
  const Handle handle = handle_at(request, 0);
  Request* found = find(handle, Request::Kind::kReceive);
  if (!found) found = find(handle, Request::Kind::kFile);
  if (!found) found = followed.find(handle, hands_over);
  if (found) found->in_hand = true;
  return found;
}

void keep_request(Request* request) { request->in_hand = false; }

void Freed::record(Timed, uint64_t) const {
  if (!request) return;
  if (request->kind == Request::Kind::kReceive && request->active)
    miss_messages(1);  // it goes on, and nobody hears of its end
  forget(request);
}

void MatchedLater::record(Timed, uint64_t) const {
  Communicator* over = follows_messages() ? message_received(message) : nullptr;
  if (!follow(handle_at(request, 0), {.communicator = over, .kind = Request::Kind::kReceive, .active = true}))
    miss_messages(1);
}

void record_received(Handle comm, const void* status, bool worked, Timed time) {
  if (worked)
    record_receive(communicator_of(comm), status, time);
  else
    miss_messages(1);
}

void record_matched(Handle message, const void* status, bool worked, Timed time) {
  Communicator* over = worked ? message_received(message) : nullptr;
  if (!worked) return miss_messages(1);
  record_receive(over, status, time);
  if (over) drop(over);
}

void record_exchange(const Sending& sending, uint64_t bytes, const void* status, bool worked, Timed time) {
  if (worked) sending.record(time, bytes);
  record_received(sending.comm, status, worked, time);
}

uint64_t received_in(const Library& m, const void* status, Handle type) {
  int items = -1;
  return m.known && m.get_count && m.get_count(status, type, &items) == 0 ? size_of(items, type) : 0;
}

Completion::Completion(int64_t count, const void* handles) {
  uint32_t* end = &first_;
  for (int64_t i = 0; i < count; ++i) {
    const Handle handle = handle_at(handles, i);
    Request* found = followed.find(handle, [](const Request& request) {
      const bool ends = request.kind == Request::Kind::kReceive || request.kind == Request::Kind::kFile;
      return ends && request.active && !request.in_hand;
    });
    if (!found) continue;
    found->in_hand = true;
    found->position = static_cast<uint32_t>(i);
    found->next = 0;
    *end = followed.number_of(found);
    end = &found->next;
  }
}

void* Completion::status(void* given, void* own) const {
  return any() && given == found_library().status_ignore ? own : given;
}

void* Completion::statuses(int64_t count, void* given) const {
  const Library& m = found_library();
  if (!any() || given != m.status_ignore) return given;
  void* room = room_for_statuses(static_cast<uint64_t>(count) * m.status_bytes);
  return room ? room : given;
}

uint64_t Completion::complete(Request* request, const void* status, Timed time) {
  uint64_t bytes = 0;
  if (request->kind == Request::Kind::kFile)
    give_time(*request, time);
  else if (request->partitioned)
    bytes = record_receive_from(request->communicator, request->peer, request->tag, request->bytes, time);
  else if (status)
    bytes = record_receive(request->communicator, status, time);
  else
    miss_messages(1);
  request->active = false;
  if (request->persistent)
    request->in_hand = false;
  else
    forget(request);  // in hand until it is gone: another may have its handle by now
  return bytes;
}

/// It is no time of communication: it counts as if the file's call were inside. Of several files one gets it.
void Completion::give_time(const Request& request, Timed time) {
  const LibraryObject* object = time_given_ ? nullptr : library_object(Layer::kMpiio, request.file);
  if (!object) return;  // it was closed before, which MPI does not allow
  library_time(object, request.direction, time);
  if (block && time.recorded()) block->profiled += time.spent();
  time_given_ = true;
}

uint64_t Completion::one(int64_t position, const void* status, Timed time) {
  uint64_t bytes = 0;
  for (uint32_t number = first_; number != 0;) {
    Request* request = followed.at(number);
    number = request->next;
    if (request->position == position)
      bytes = complete(request, status, time);
    else
      request->in_hand = false;
  }
  return bytes;
}

uint64_t Completion::all(const void* statuses, Timed time) {
  uint64_t bytes = 0;
  for (uint32_t number = first_; number != 0;) {
    Request* request = followed.at(number);
    number = request->next;
    bytes += complete(request, status_at(statuses, request->position), time);
  }
  return bytes;
}

/// The positions rise as a rule: then each list is gone through once.
uint64_t Completion::some(int64_t count, const int* positions, const void* statuses, Timed time) {
  uint32_t number = first_, before = 0;
  uint64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto wanted = static_cast<uint32_t>(positions[i]);
    if (before != 0 && followed.at(before)->position > wanted) number = first_, before = 0;
    while (number != 0 && followed.at(number)->position < wanted) before = number, number = followed.at(number)->next;
    if (number == 0 || followed.at(number)->position != wanted) continue;
    Request* request = followed.at(number);
    (before ? followed.at(before)->next : first_) = number = request->next;
    bytes += complete(request, status_at(statuses, i), time);
  }
  none();
  return bytes;
}

uint64_t Completion::none() {
  for (uint32_t number = first_; number != 0; number = followed.at(number)->next) followed.at(number)->in_hand = false;
  return 0;
}

void Completion::failed(const void* handles) {
  for (uint32_t number = first_; number != 0;) {
    Request* request = followed.at(number);
    number = request->next;
    if (followed.handle_of(request) == handle_at(handles, request->position)) {
      request->in_hand = false;
    } else {
      if (request->kind != Request::Kind::kFile) miss_messages(1);
      forget(request);
    }
  }
}

}  // namespace headrace::capture::mpi
