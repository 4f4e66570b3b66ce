#include "capture/recorder/stack_walk.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>

#include <random>
#include <vector>

namespace headrace::capture {
namespace {

class StackWalk : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { prepare_objects(); }
};

Frames frames;

__attribute__((noinline)) uint32_t walk_here() {
  walk_stack(this_place(), {}, &frames);
  return frames.count;
}

__attribute__((noinline)) uint32_t walk_below(int depth) {
  const uint32_t count = depth == 0 ? walk_here() : walk_below(depth - 1);
  asm volatile("" ::: "memory");  // no tail call
  return count;
}

TEST_F(StackWalk, ReturnAddressesLieWhereItSays) {
  const Place here = this_place();
  ASSERT_GT(walk_below(3), 5u);
  EXPECT_TRUE(frames.whole);
  const uint64_t inside = frames.address[1];  // of walk_below, into itself
  for (uint32_t i = 2; i <= 3; ++i) EXPECT_EQ(frames.address[i], inside);
  for (uint32_t i = 1; i < frames.count; ++i) EXPECT_GT(frames.slot[i], frames.slot[i - 1]);
  EXPECT_GT(frames.address[5], 0u);
  EXPECT_GT(here.stack, 0u);
}

TEST_F(StackWalk, EndsOnDeepRecursion) {
  EXPECT_EQ(walk_below(1000), kWalkFrames);
  EXPECT_FALSE(frames.whole);
}

__attribute__((noinline)) uint32_t walk_above_array(size_t bytes) {
  auto* array = static_cast<volatile char*>(__builtin_alloca(bytes));  // its frame is found by the frame pointer
  array[0] = 1;
  array[bytes - 1] = 1;
  const uint32_t count = walk_here();
  return count + array[0] - 1;
}
__attribute__((noinline)) uint32_t walk_above_aligned(char* out) {
  alignas(64) volatile char local[256];  // the compiler keeps the frame's address in another register for a while
  local[0] = *out;
  const uint32_t count = walk_here();
  *out = local[0];
  return count;
}

TEST_F(StackWalk, FramesOfUnusualShape) {
  const uint32_t plain = walk_below(0);
  EXPECT_EQ(walk_above_array(100), plain);
  EXPECT_TRUE(frames.whole);
  EXPECT_EQ(walk_above_array(1 << 20), plain);
  EXPECT_TRUE(frames.whole);
  char c = 1;
  EXPECT_EQ(walk_above_aligned(&c), plain);
  EXPECT_TRUE(frames.whole);
}

int compare(const void* a, const void* b) {
  walk_here();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

TEST_F(StackWalk, ThroughTheCLibrary) {
  int values[] = {2, 1};
  qsort(values, 2, sizeof values[0], compare);
  EXPECT_TRUE(frames.whole);
}

TEST_F(StackWalk, PlacesThatAreNone) {
  std::mt19937_64 random(1);
  const Place here = this_place();
  std::vector<uintptr_t> values{0, 1, 8, UINTPTR_MAX, UINTPTR_MAX - 7, here.pc, here.stack, here.frame, 0xdead0000};
  values.push_back(reinterpret_cast<uintptr_t>(&frames));
  values.push_back(reinterpret_cast<uintptr_t>(&qsort));
  for (int i = 0; i < 20000; ++i) {
    const auto pick = [&] {
      const uintptr_t value = values[random() % values.size()];
      return random() % 4 == 0 ? random() : value + (random() % 3 == 0 ? random() % 4096 * 8 : 0);
    };
    walk_stack({pick(), pick(), pick()}, {}, &frames);
    ASSERT_LE(frames.count, kWalkFrames);
  }
}

TEST_F(StackWalk, ScribbledStacks) {
  std::mt19937_64 random(2);
  alignas(16) static uint64_t stack[2048];
  const auto code = reinterpret_cast<uintptr_t>(&walk_here);
  for (int i = 0; i < 3000; ++i) {
    for (uint64_t& word : stack) {
      const uint64_t kind = random() % 4;
      word = kind == 0   ? random()
             : kind == 1 ? reinterpret_cast<uint64_t>(stack + random() % 2048)
             : kind == 2 ? code + random() % 65536
                         : 0;
    }
    walk_stack({code + random() % 256, reinterpret_cast<uintptr_t>(stack), reinterpret_cast<uintptr_t>(stack + 20)}, {},
               &frames);
    ASSERT_LE(frames.count, kWalkFrames);
  }
}

TEST_F(StackWalk, RulesOfAnyAddress) {
  std::mt19937_64 random(3);
  LoadedObject object;
  for (const void* place : {reinterpret_cast<const void*>(&qsort), reinterpret_cast<const void*>(&walk_here)}) {
    ASSERT_TRUE(find_object(reinterpret_cast<uintptr_t>(place), &object));
    uint32_t known = 0;
    for (int i = 0; i < 20000; ++i)
      known += frame_rule(object, object.start + random() % (object.end - object.start)).cfa != FrameRule::kUnknown;
    EXPECT_GT(known, 100u);
  }
  object.unwind = &frames;  // something else altogether
  EXPECT_EQ(frame_rule(object, object.start).cfa, FrameRule::kUnknown);
}

TEST_F(StackWalk, Objects) {
  LoadedObject own, library;
  ASSERT_TRUE(find_object(reinterpret_cast<uintptr_t>(&walk_here), &own));
  // A function that no sanitizer puts its own in the place of.
  ASSERT_TRUE(find_object(reinterpret_cast<uintptr_t>(&rand), &library));
  EXPECT_STREQ(own.name, "");
  EXPECT_NE(strstr(library.name, "libc.so"), nullptr);
  EXPECT_TRUE(is_permanent(own) && is_permanent(library));
  EXPECT_EQ(build_id_of(library).length, 20u);
  EXPECT_NE(identity_of(own, build_id_of(own)), identity_of(library, build_id_of(library)));
  EXPECT_FALSE(find_object(8, &own));
  EXPECT_FALSE(find_object(reinterpret_cast<uintptr_t>(&own), &own));  // on the stack
}

TEST(Readable, AsksBeforeItReads) {
  constexpr size_t kPage = 4096;
  void* memory = mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto start = reinterpret_cast<uintptr_t>(memory);
  mprotect(reinterpret_cast<void*>(start + 2 * kPage), kPage, PROT_NONE);
  uint64_t word;
  Readable readable;
  EXPECT_TRUE(readable.load(start, &word));
  EXPECT_TRUE(readable.covers(start, 2 * kPage));
  EXPECT_FALSE(readable.covers(start, 2 * kPage + 1));
  EXPECT_FALSE(readable.load(start + 2 * kPage, &word));
  EXPECT_TRUE(readable.load(start + 3 * kPage, &word));
  EXPECT_TRUE(readable.load(start + 8, &word));  // again, after it looked elsewhere
  EXPECT_FALSE(readable.load(start + 1, &word));
  EXPECT_FALSE(readable.covers(UINTPTR_MAX - 3, 8));
  EXPECT_FALSE(readable.load(0, &word));
  EXPECT_FALSE(readable.load(uintptr_t{1} << 63, &word));
  munmap(memory, 4 * kPage);
}

}  // namespace
}  // namespace headrace::capture
