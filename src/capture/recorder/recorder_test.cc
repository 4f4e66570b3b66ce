// The recorder without a preload: hooks over functions that only pretend to do I/O, in many threads, with little
// memory, read back by the harvester. Also run under the address and thread sanitizers.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include "base/kernel.h"
#include "base/sanitizers.h"
#include "capture/harvest/spool_reader.h"
#include "capture/recorder/calls.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/fold.h"
#include "capture/recorder/process.h"
#include "capture/recorder/server_waits.h"
#include "capture/recorder/stream.h"

namespace headrace::capture {
namespace {

namespace counter = model::counter;

struct Records : RecordSink {
  std::map<std::string, model::FileRecord> by_path;
  void record(const model::FileRecord& record) override {
    if (auto [at, added] = by_path.emplace(record.path, record); !added) merge(at->second, record);
  }
  uint64_t sum(counter::Index index) const {
    uint64_t total = 0;
    for (auto& [path, record] : by_path) total += record[index];
    return total;
  }
};

/// Gives the process its spool, small enough to fold, below a directory of its own.
class Recorder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    base_ = std::filesystem::temp_directory_path() / ("headrace-recorder-" + std::to_string(getpid()));
    std::filesystem::create_directories(base_);
    setenv("HEADRACE_SPOOL", base_.c_str(), 1);
    setenv("HEADRACE_MEMORY", "768K", 1);
    setenv("HEADRACE_EXCLUDE", "/skipped/", 1);
    ASSERT_TRUE(ready());
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(base_); }

  static Records harvest(SpoolContents& contents) {
    std::vector<std::byte> copy(spool.header->grown);
    memcpy(copy.data(), spool.base, copy.size());
    Records records;
    auto read = read_spool(copy, "test", Moment{}, Moment::now(), records);
    EXPECT_TRUE(read.ok()) << read.status().message();
    if (read.ok()) contents = *std::move(read);
    return records;
  }

  static int open_file(const std::string& path, int flags = 0) {
    static std::atomic<int> next{1000};
    int fd = next++;
    opened(Fn::open, fd, -100, path.c_str(), flags, 0, {base::ticks(), base::ticks()});
    return fd;
  }
  static void close_file(int fd) { closed(Fn::close, take_tag(fd), {base::ticks(), base::ticks()}); }
  static void write_file(int fd, int64_t offset, ssize_t size) {
    static char buffer[8];
    transfer<kWrite, At::kOffset>(Fn::pwrite, fd, offset, buffer, [&] { return size; });
  }
  static void write_next(int fd, ssize_t size) {
    transfer<kWrite, At::kPosition>(Fn::write, fd, 0, nullptr, [&] { return size; });
  }

  static inline std::filesystem::path base_;
};

TEST_F(Recorder, NamesAreAbsoluteAndHashedAlike) {
  close_file(open_file("/somewhere/file"));  // this thread has scratch memory now
  struct Case {
    const char *given, *expected;
  } cases[] = {{"/a/b", "/a/b"},
               {"/a//b", "/a/b"},
               {"/a/./b", "/a/b"},
               {"/a/../b", "/b"},
               {"/a/b/", "/a/b"},
               {"/", "/"},
               {"/..", "/"},
               {"/a/.hidden", "/a/.hidden"},
               {"/a/b/..", "/a"},
               {"//", "/"},
               {"/a/...", "/a/..."},
               {"/exactly/16/byte", "/exactly/16/byte"},
               {"/exactly/16/byt/", "/exactly/16/byt"}};
  for (auto& c : cases) {
    PathName name = absolute_name(-100, c.given, 0);
    EXPECT_EQ(std::string(name.text, name.length), c.expected) << c.given;
    EXPECT_EQ(name.hash, hash_name(c.expected, static_cast<uint32_t>(strlen(c.expected)))) << c.given;
  }
  PathName relative = absolute_name(-100, "x/../y", 0);
  EXPECT_EQ(std::string(relative.text, relative.length), std::filesystem::current_path().string() + "/y");
}

TEST_F(Recorder, NamesAreReadInTheirPageAlone) {
  // Every length, ending right before an unmapped page.
  auto* memory = static_cast<char*>(base::map_anonymous(8192));
  ASSERT_EQ(mprotect(memory + 4096, 4096, PROT_NONE), 0);
  for (size_t length = 1; length < 70; ++length) {
    char* text = memory + 4096 - length - 1;
    memset(text, 'a', length);
    text[0] = '/';
    text[length] = 0;
    PathName name = absolute_name(-100, text, 0);
    EXPECT_EQ(name.length, length);
    EXPECT_EQ(name.hash, hash_name(text, static_cast<uint32_t>(length)));
  }
  base::unmap(memory, 8192);
}

TEST_F(Recorder, TheLongestPrefixDecides) {
  auto rule = [](const char* path) { return excluding_rule(path, static_cast<uint32_t>(strlen(path))); };
  EXPECT_GE(rule("/dev/null"), 0);
  EXPECT_EQ(rule("/dev/shm/x"), -1);
  EXPECT_EQ(rule("/home/dev/null"), -1);
  EXPECT_GE(rule("/skipped/x"), 0);
  EXPECT_NE(rule("/skipped/x"), rule("/dev/null"));
  EXPECT_EQ(rule("/skippe"), -1);
}

TEST_F(Recorder, RunsAddUpToPatternsAndSizes) {
  int fd = open_file("/runs/file");
  for (int i = 0; i < 100; ++i) write_next(fd, 4096);                       // consecutive
  for (int i = 0; i < 50; ++i) write_file(fd, 1'000'000 + i * 8192, 4096);  // one jump, then a stride of 4096
  write_file(fd, 0, 100);                                                   // back
  write_next(fd, 0);                                                        // zero-sized: counts, ends no run
  close_file(fd);
  SpoolContents contents;
  Records records = harvest(contents);
  model::FileRecord& file = records.by_path.at("/runs/file");
  EXPECT_EQ(file[counter::writes], 152u);
  EXPECT_EQ(file[counter::bytes_written], 100 * 4096u + 50 * 4096 + 100);
  EXPECT_EQ(file[counter::writes_consecutive], 99u);  // the first one follows none
  EXPECT_EQ(file[counter::writes_forward], 50u);
  EXPECT_EQ(file[counter::writes_backward], 1u);
  EXPECT_EQ(file[counter::write_end], 1'000'000u + 49 * 8192 + 4096);
  EXPECT_EQ(file[counter::opens], 1u);
  EXPECT_EQ(file[counter::closes], 1u);
}

TEST_F(Recorder, TheFirstOperationHasNoPattern) {
  for (const char* name : {"/first/start", "/first/later", "/first/both", "/first/many"}) {
    const int fd = open_file(name);
    if (name[7] == 's') write_next(fd, 100);
    if (name[7] == 'l') write_file(fd, 5000, 100);
    if (name[7] == 'b') write_file(fd, 5000, 100), write_file(fd, 5100, 100);
    if (name[7] == 'm') {
      for (int i = 0; i < 5; ++i) write_next(fd, 100);
      for (int i = 0; i < 5; ++i) write_file(fd, 9000 - 1000 * i, 10 + i);  // runs enough for details
    }
    close_file(fd);
  }
  SpoolContents contents;
  Records records = harvest(contents);
  const auto pattern = [&](const char* name) {
    model::FileRecord& file = records.by_path.at(name);
    return std::array<uint64_t, 4>{file[counter::writes_consecutive], file[counter::writes_forward],
                                   file[counter::writes_backward], file[counter::write_end]};
  };
  EXPECT_EQ(pattern("/first/start"), (std::array<uint64_t, 4>{0, 0, 0, 100}));
  EXPECT_EQ(pattern("/first/later"), (std::array<uint64_t, 4>{0, 0, 0, 5100}));
  EXPECT_EQ(pattern("/first/both"), (std::array<uint64_t, 4>{1, 0, 0, 5200}));
  EXPECT_EQ(pattern("/first/many"), (std::array<uint64_t, 4>{4, 1, 4, 9010}));
}

TEST_F(Recorder, FailuresAreCountedWhereTheNameWouldBe) {
  close_file(open_file("/failures/known"));
  errno = ENOENT;
  open_failed(Fn::open, -100, "/failures/known", {1, 2});
  for (int i = 0; i < 500; ++i) open_failed(Fn::open, -100, ("/failures/search/" + std::to_string(i)).c_str(), {1, 2});
  errno = EFAULT;  // the path cannot be read
  open_failed(Fn::open, -100, reinterpret_cast<const char*>(8), {1, 2});
  EXPECT_EQ(errno, EFAULT);
  SpoolContents contents;
  Records records = harvest(contents);
  EXPECT_EQ(records.by_path.at("/failures/known")[counter::meta_errors], 1u);
  EXPECT_EQ(records.by_path.at("/failures/search")[counter::meta_errors], 500u);
  EXPECT_EQ(records.by_path.at("/failures/search").kind, model::FileKind::kDirectory);
  EXPECT_EQ(records.by_path.count("/failures/search/1"), 0u);
}

TEST_F(Recorder, ADuplicateKeepsTheFileOpen) {
  int fd = open_file("/dup/file");
  duplicated(Fn::dup, fd, fd + 500'000, {1, 2});
  close_file(fd);
  write_next(fd + 500'000, 10);
  close_file(fd + 500'000);
  SpoolContents contents;
  Records records = harvest(contents);
  EXPECT_EQ(records.by_path.at("/dup/file")[counter::bytes_written], 10u);
  EXPECT_EQ(records.by_path.at("/dup/file")[counter::closes], 2u);
  EXPECT_EQ(records.by_path.at("/dup/file")[counter::duplicates], 1u);
}

TEST_F(Recorder, ThreadsThatFoldLoseNothing) {
  SpoolContents contents;
  Records before = harvest(contents);
  constexpr int kThreads = 8, kFiles = 1500, kWrites = 5;
  int big = open_file("/fold/big");
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([t, big] {
      for (int i = 0; i < kFiles; ++i) {
        int fd = open_file("/fold/" + std::to_string(t % 4) + "/file-" + std::to_string(i), 0100 /* O_CREAT */);
        for (int w = 0; w < kWrites; ++w) write_file(fd, w * 100 * (i % 3), i % 7 + 1);
        write_file(big, int64_t{t} << 32, 1 << 20);
        close_file(fd);
      }
    });
  for (auto& thread : threads) thread.join();
  close_file(big);
  Records after = harvest(contents);
  EXPECT_GT(contents.process.folded_records, 0u);
  uint64_t bytes = 0;
  for (int i = 0; i < kFiles; ++i) bytes += kThreads * (kWrites * (i % 7 + 1) + (uint64_t{1} << 20));
  auto gained = [&](counter::Index index) { return after.sum(index) - before.sum(index); };
  // What finds no room is in a roll-up, or in no file and in the totals all the same.
  uint64_t outside = contents.process.unattributed_operations;
  EXPECT_EQ(gained(counter::opens) + gained(counter::writes), uint64_t{kThreads} * kFiles * (kWrites + 2) + 1);
  EXPECT_EQ(gained(counter::bytes_written), bytes);
  EXPECT_EQ(gained(counter::closes), gained(counter::opens));
  EXPECT_LT(outside, uint64_t{kThreads} * kFiles / 100);
  // The largest file still has its own record, exact.
  ASSERT_TRUE(after.by_path.count("/fold/big"));
  uint64_t big_writes = after.by_path["/fold/big"][counter::writes];
  EXPECT_GE(big_writes + outside, uint64_t{kThreads} * kFiles);
  EXPECT_EQ(after.by_path["/fold/big"][counter::bytes_written], big_writes << 20);
  uint64_t series = 0;
  for (auto& bin : contents.series) series += bin.bytes;
  EXPECT_EQ(series, after.sum(counter::bytes_written) + after.sum(counter::bytes_read));
}

/// Takes all memory that records can have, also what folding frees, and gives it back.
class AllMemoryTaken {
 public:
  AllMemoryTaken() {
    Update update;
    if (!update.enter()) return;
    {
      SpoolLock lock;
      do {
        for (uint32_t size = 4096; size >= 64; size /= 2)
          while (uint32_t offset = allocate(size)) taken_.push_back({offset, size});
      } while (fold_some());
    }
    update.leave();
  }
  ~AllMemoryTaken() {
    SpoolLock lock;
    for (auto [offset, size] : taken_) release(offset, size);
  }

 private:
  std::vector<std::pair<uint32_t, uint32_t>> taken_;
};

TEST_F(Recorder, WaitsForServersThatOverlapCountOnce) {
  using intercept::LibraryFn;
  const uint64_t from = base::ticks(), ms = 10'000'000;
  std::thread([&] {
    server_answered(LibraryFn::server_write, true, 100, {from, from + 4 * ms}, ms, 2 * ms);
    // Under way since the same moment: what is left of it is one ms, and the server cannot have worked longer.
    server_answered(LibraryFn::server_write, false, 7, {from, from + 5 * ms}, 3 * ms, 2 * ms);
    server_answered(LibraryFn::server_write, true, 1, {from, from + 5 * ms}, 0, ms);  // over at the same time
  }).join();
  SpoolContents contents;
  harvest(contents);
  std::map<std::string_view, model::Profile> of;
  for (const auto& profile : contents.profiles) of[profile.function] = profile;
  const uint64_t unit = of["server_write"].time_ns / 5;
  EXPECT_GT(unit, 0u);
  EXPECT_EQ(of["server_write"].calls, 3u);
  EXPECT_EQ(of["server_write"].errors, 1u);
  EXPECT_EQ(of["server_write"].bytes, 108u);
  EXPECT_EQ(of["server_write"].layer, "forward");
  EXPECT_NEAR(double(of["server_write_queue"].time_ns), double(unit), 5);
  EXPECT_NEAR(double(of["server_write_work"].time_ns), double(3 * unit), 5);
  EXPECT_NEAR(double(of["server_write"].own_ns), double(unit), 5);
}

/// So many threads at once, each with one write of 10 bytes.
void write_in_threads(int count, int fd, void (*write)(int fd, int64_t offset, ssize_t size)) {
  std::barrier<> all_live(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      write(fd, i * 10, 10);
      all_live.arrive_and_wait();
    });
  for (auto& thread : threads) thread.join();
}

uint64_t in_no_file(const Records& records, counter::Index index) {
  const auto found = records.by_path.find("(in no file)");
  return found == records.by_path.end() ? 0 : found->second[index];
}

uint64_t calls_of(const SpoolContents& contents, std::string_view function) {
  for (const auto& profile : contents.profiles)
    if (profile.function == function) return profile.calls;
  return 0;
}

TEST_F(Recorder, ThreadsWithoutAddressesAreInTheTotals) {
  constexpr int kThreads = 100;
  const int fd = open_file("/crowd/file");
  SpoolContents before, after;
  const Records known = harvest(before);
  // Something of the program's lies where more of the spool would be mapped.
  char* behind = spool.base + spool.mapped;
  constexpr int kThere = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  ASSERT_EQ(mmap(behind, 4096, PROT_NONE, kThere, -1, 0), behind);
  const uint64_t room = spool.thread_room, mapped = spool.mapped;
  write_in_threads(kThreads, fd, write_file);
  const Records records = harvest(after);
  const auto& gained = after.process;
  const uint64_t outside = gained.unattributed_operations - before.process.unattributed_operations;
  EXPECT_GT(outside, 0u);
  EXPECT_EQ(records.by_path.at("(in no file)")[counter::writes], outside + in_no_file(known, counter::writes));
  EXPECT_EQ(records.sum(counter::writes) - known.sum(counter::writes), uint64_t{kThreads});
  EXPECT_EQ(records.sum(counter::bytes_written) - known.sum(counter::bytes_written), kThreads * 10u);
  EXPECT_GT(records.sum(counter::write_ns), known.sum(counter::write_ns));
  EXPECT_EQ(calls_of(after, "pwrite") - calls_of(before, "pwrite"), uint64_t{kThreads});
  EXPECT_EQ(spool.mapped, mapped);
  // Who comes later takes the place of one that ended and had memory, not of one that had none.
  const uint64_t lost = gained.unattributed_operations;
  for (int i = 0; i < 10; ++i) write_in_threads(1, fd, write_file);
  const Records later = harvest(after);
  EXPECT_EQ(after.process.unattributed_operations, lost);
  EXPECT_EQ(later.sum(counter::writes) - records.sum(counter::writes), 10u);
  munmap(behind, 4096);

  spool.thread_room = room;
  spool.threads_shortage = {};
  write_in_threads(kThreads, fd, write_file);
  const uint64_t all = harvest(after).sum(counter::writes) - later.sum(counter::writes);
  EXPECT_EQ(all, uint64_t{kThreads});
  EXPECT_GT(spool.mapped, mapped);
  close_file(fd);
}

TEST_F(Recorder, CallsWithoutMemoryAreCountedInARollup) {
  SpoolContents before, after;
  const int fds[] = {open_file("/full/closed"), open_file("/full/duplicated"), open_file("/full/asked")};
  Records known = harvest(before);
  std::thread other([&] {
    plain_call(Fn::sync, true, {1, 2});  // has its memory as a thread, and none at the files
    AllMemoryTaken taken;
    close_file(fds[0]);
    duplicated(Fn::dup, fds[1], 600'000, {1, 2});
    descriptor_call(Fn::fstat, fds[2], Metadata::kStats, true, {1, 2});
    path_call(Fn::stat, -100, "/full/asked", Metadata::kStats, true, {1, 2});
    // Its own directory has no record: nothing can be made.
    close_file(open_file("/full/opened"));
  });
  other.join();
  Records records = harvest(after);
  const auto gained = [&](counter::Index index) { return records.sum(index) - known.sum(index); };
  EXPECT_EQ(gained(counter::closes), 2u);
  EXPECT_EQ(gained(counter::opens), 1u);
  EXPECT_EQ(gained(counter::duplicates), 1u);
  EXPECT_EQ(gained(counter::stats), 2u);
  EXPECT_EQ(after.process.unattributed_operations, before.process.unattributed_operations);
  close_file(fds[1]);
  close_file(fds[2]);
  close_file(600'000);
}

TEST_F(Recorder, AnOperationInsideAnUpdateIsCountedInTheTotals) {
  SpoolContents before, after;
  const Records known = harvest(before);
  int fd = open_file("/signal/file");
  write_next(fd, 1);
  Update update;
  ASSERT_TRUE(update.enter());  // as if a signal arrived here
  [fd] {
    write_next(fd, 7);
    descriptor_call(Fn::fstat, fd, Metadata::kStats, true, {5, 9});
    plain_call(Fn::sync, true, {5, 9});
  }();
  update.leave();
  write_next(fd, 1);
  close_file(fd);
  Records records = harvest(after);
  EXPECT_EQ(calls_of(after, "write") - calls_of(before, "write"), 3u);
  EXPECT_EQ(calls_of(after, "fstat") - calls_of(before, "fstat"), 1u);
  EXPECT_EQ(calls_of(after, "sync") - calls_of(before, "sync"), 1u);
  EXPECT_EQ(in_no_file(records, counter::bytes_written) - in_no_file(known, counter::bytes_written), 7u);
  EXPECT_EQ(in_no_file(records, counter::stats) - in_no_file(known, counter::stats), 1u);
  EXPECT_EQ(after.process.unattributed_operations - before.process.unattributed_operations, 2u);
  EXPECT_EQ(after.process.unattributed_bytes - before.process.unattributed_bytes, 7u);
  EXPECT_EQ(records.by_path.at("/signal/file")[counter::writes], 2u);
}

TEST_F(Recorder, ARecordIsKeptWhileACallOnItsClosedFileIsCounted) {
  const int fd = open_file("/closed/meanwhile");
  const uint64_t tag = tag_of(fd), hash = file_of(tag)->hash;
  close_file(fd);
  Update update;
  ASSERT_TRUE(update.enter());
  CachedFile found{};
  EXPECT_TRUE(fill_with_closed(found, tag, hash));
  EXPECT_EQ(at<Record>(found.shard->record)->references, 1u);
  update.leave();
}

/// Streams of the C library, whose calls go through the recorder here instead of a preload.
class RecorderOfStreams : public Recorder {
 protected:
  static FILE* open_stream(const std::string& name) {
    FILE* stream = fopen((base_ / name).c_str(), "w");
    EXPECT_NE(stream, nullptr);
    opened(Fn::fopen, fileno(stream), -100, ("/streams/" + name).c_str(), 0, 0, {base::ticks(), base::ticks()});
    return stream;
  }
  static void put(FILE* stream) {
    if (can_wait<kWrite>(Fn::fputc, stream)) {
      fputc('x', stream);
      return;
    }
    byte_transfer<kWrite>(
        Fn::fputc, Fn::fputc, stream, [=] { return fputc('x', stream); },
        [](int result, const StreamCall&) { return result != EOF ? int64_t{1} : -1; });
  }
  static void write(FILE* stream, size_t size) {
    static const char bytes[8192] = {};
    stream_transfer<kWrite>(
        Fn::fwrite, stream, [=] { return fwrite(bytes, 1, size, stream); },
        [](size_t result, const StreamCall&) { return static_cast<int64_t>(result); });
  }
  static void close_stream(FILE* stream) {
    const Settled before = settle(stream, true);
    const uint64_t tag = take_tag(fileno(stream));
    fclose(stream);
    stream_closed(Fn::fclose, tag, {1, 2}, before);
  }
  static model::FileRecord record(const std::string& name) {
    SpoolContents contents;
    return harvest(contents).by_path.at("/streams/" + name);
  }
};

TEST_F(RecorderOfStreams, WhatWaitsIsCountedOnce) {
  FILE* stream = open_stream("waits");
  for (int i = 0; i < 10; ++i) put(stream);
  settle_all(Coming::kGoOn);
  settle_all(Coming::kGoOn);
  EXPECT_EQ(record("waits")[counter::writes], 10u);
  for (int i = 0; i < 5; ++i) put(stream);
  for (int i = 0; i < 3; ++i) putc_unlocked('y', stream);  // seen in the pointers alone
  write(stream, 100);
  for (int i = 0; i < 5; ++i) put(stream);
  close_stream(stream);
  const model::FileRecord found = record("waits");
  EXPECT_EQ(found[counter::writes], 24u);
  EXPECT_EQ(found[counter::bytes_written], 123u);
  EXPECT_EQ(found[counter::writes_consecutive], 23u);
  EXPECT_EQ(found[counter::system_writes], 1u);
  EXPECT_EQ(found[counter::system_bytes_written], 123u);
}

TEST_F(RecorderOfStreams, ThreadsThatShareAStreamAreCountedCallByCall) {
#ifdef HEADRACE_SANITIZED_THREADS
  GTEST_SKIP()
      << "the view of a shared stream, and the C library's buffer, are read as they come: a stale one is foreseen";
#endif
  FILE* stream = open_stream("shared");
  for (int i = 0; i < 7; ++i) put(stream);
  settle_all(Coming::kGoOn);  // as the hook of pthread_create does
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([stream] {
      for (int i = 0; i < 500; ++i) write(stream, 8), put(stream);
    });
  for (std::thread& thread : threads) thread.join();
  close_stream(stream);
  const model::FileRecord found = record("shared");
  EXPECT_EQ(found[counter::writes], 7u + 4 * 1000);
  EXPECT_EQ(found[counter::bytes_written], 7u + 4 * 500 * 9);
}

TEST_F(RecorderOfStreams, EachStreamHasAViewOfItsOwn) {
  FILE *one = open_stream("one"), *two = open_stream("two");
  for (int i = 0; i < 20; ++i) put(i % 2 ? one : two);
  close_stream(one);
  close_stream(two);
  EXPECT_EQ(record("one")[counter::writes], 10u);
  EXPECT_EQ(record("two")[counter::writes], 10u);
}

}  // namespace
}  // namespace headrace::capture
