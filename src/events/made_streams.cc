#include "events/made_streams.h"

namespace headrace::events {

using model::Event;
using model::EventKind;

namespace {

constexpr uint32_t kWorld = 1, kStep = 2, kStage = 3, kAxis = 10, kInterior = 20, kKernel = 30;
constexpr uint32_t kIrecv = 100, kIsend = 101, kWaitall = 102, kAllreduce = 103, kOpen = 110, kWrite = 111,
                   kClose = 112, kRead = 113;
constexpr uint32_t kRank = 1234;
constexpr uint32_t kDistance[3] = {1, 16, 256};  // of the neighbours along each axis
constexpr uint64_t kHalo = 47008, kBlock = 65536;

uint32_t neighbour(int axis, bool up) { return up ? kRank + kDistance[axis] : kRank - kDistance[axis]; }

}  // namespace

void MadeStream::exchange(int axis) {
  const auto place = static_cast<uint32_t>(axis);
  enter(kAxis + place, 400, .2);
  for (int i = 0; i < 2; ++i) call(kIrecv, 350, .3);
  for (uint32_t i = 0; i < 2; ++i) {
    enter(kIsend, 150, .2);
    add(EventKind::kSend, kWorld, 60, .1, neighbour(axis, i == 1), kHalo, 7 + 2 * place + i);
    leave(kIsend, 900, .3);
  }
  enter(kInterior + place, 120, .2);
  leave(kInterior + place, 40000, .02);
  enter(kWaitall, 150, .2);
  for (uint32_t i = 0; i < 2; ++i)
    add(EventKind::kReceive, kWorld, i == 1 ? 300 : 5000, .5, neighbour(axis, i == 0), kHalo, 7 + 2 * place + i);
  leave(kWaitall, 200, .2);
  leave(kAxis + place, 3000, .03);
}

void MadeStream::stage() {
  enter(kStage, 200, .2);
  for (int axis = 0; axis < 3; ++axis) exchange(axis);
  for (uint32_t kernel = 0; kernel < 8; ++kernel) {
    enter(kKernel + kernel, 100, .2);
    leave(kKernel + kernel, 20000 * (kernel + 1), .01);
  }
  leave(kStage, 200, .2);
}

void MadeStream::checkpoint() {
  call(kOpen, 80000, .5);
  for (uint64_t i = 0; i < 200; ++i) operation(kWrite, 5, kBlock, base_ + (i * 4096 + kRank) * kBlock, 300, 25000, .4);
  base_ += 200 * 4096 * kBlock;
  call(kClose, 50000, .5);
}

std::vector<Event> MadeStream::s3d(size_t count) {
  MadeStream stream(1);
  for (uint64_t step = 0; stream.events.size() < count; ++step) {
    stream.enter(kStep, 300, .01);
    for (int i = 0; i < 6; ++i) stream.stage();
    if (step % 10 == 0) {
      stream.enter(kAllreduce, 200, .2);
      stream.add(EventKind::kCollective, kWorld, 15000, .6, model::kNoRoot, 8, 8);
      stream.leave(kAllreduce, 150, .2);
    }
    if (step % 50 == 0) stream.checkpoint();
    stream.leave(kStep, 300, .01);
  }
  stream.events.resize(count);
  return std::move(stream.events);
}

std::vector<Event> MadeStream::regular(size_t count) {
  MadeStream stream(2);
  for (uint64_t i = 0; stream.events.size() < count; ++i) stream.operation(kWrite, 5, kHalo, i * kHalo, 800, 4000, .4);
  stream.events.resize(count);
  return std::move(stream.events);
}

std::vector<Event> MadeStream::random(size_t count) {
  MadeStream stream(3);
  while (stream.events.size() < count) {
    const auto handle = static_cast<uint32_t>(3 + stream.number() % 6);
    const uint64_t size = stream.number() % 2 ? 512u << (stream.number() % 6) : 1 + stream.number() % 100000;
    stream.operation(stream.number() % 4 == 0 ? kRead : kWrite, handle, size, stream.number() % (1u << 30), 2000, 4000,
                     .8);
  }
  stream.events.resize(count);
  return std::move(stream.events);
}

}  // namespace headrace::events
