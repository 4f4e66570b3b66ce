#include "capture/recorder/handle_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace headrace::capture {
namespace {

struct Entry {
  uint64_t value = 0;
};
constexpr auto kAny = [](const Entry&) { return true; };

using Table = HandleTable<Entry, 16>;

Entry* put(Table& table, uint64_t handle, uint64_t value) {
  Entry* entry = table.take(handle);
  if (entry) {
    entry->value = value;
    table.publish(entry, handle);
  }
  return entry;
}

TEST(HandleTable, FindsWhatWasPut) {
  const auto table = std::make_unique<Table>();
  for (uint64_t handle = 1; handle <= 40; ++handle) ASSERT_NE(put(*table, handle << 20, handle), nullptr);
  for (uint64_t handle = 1; handle <= 40; ++handle) {
    Entry* found = table->find(handle << 20, kAny);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->value, handle);
    EXPECT_EQ(table->at(table->number_of(found)), found);
    EXPECT_EQ(table->handle_of(found), handle << 20);
  }
  EXPECT_EQ(table->find(41 << 20, kAny), nullptr);
}

TEST(HandleTable, TellsEntriesOfOneHandleApart) {
  const auto table = std::make_unique<Table>();
  put(*table, 5, 1);
  Entry* second = put(*table, 5, 2);
  EXPECT_EQ(table->find(5, [](const Entry& entry) { return entry.value == 2; }), second);
  table->unlist(second);
  EXPECT_EQ(table->find(5, [](const Entry& entry) { return entry.value == 2; }), nullptr);
  EXPECT_EQ(table->find(5, kAny)->value, 1u);
}

TEST(HandleTable, IsFullAtSomeTimeAndNotWornOut) {
  const auto table = std::make_unique<Table>();
  std::vector<Entry*> there;
  uint64_t handle = 0;
  while (Entry* entry = put(*table, ++handle, 0)) there.push_back(entry);
  EXPECT_GT(there.size(), Table::kEntries / 2);
  for (Entry* entry : there) table->drop(entry);
  for (uint64_t round = 1; round < 100'000; ++round) {
    Entry* entry = put(*table, round, round);
    ASSERT_NE(entry, nullptr) << round;
    table->drop(entry);
  }
}

TEST(HandleTable, IsSharedByThreads) {
  const auto table = std::make_unique<Table>();
  std::vector<std::thread> threads;
  std::atomic<uint64_t> wrong{0};
  for (uint64_t number = 1; number <= 4; ++number)
    threads.emplace_back([&, number] {
      for (uint64_t round = 0; round < 20'000; ++round) {
        const uint64_t handle = number << 32 | round % 7;
        Entry* mine = put(*table, handle, number);
        const Entry* found = table->find(handle, kAny);
        if (!mine || found != mine || found->value != number) wrong++;
        if (mine) table->drop(mine);
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace headrace::capture
