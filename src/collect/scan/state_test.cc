#include "collect/scan/state.h"

#include <gtest/gtest.h>

#include "collect/scan/made_state.h"
#include "collect/scan/temporary.h"

namespace headrace::collect {
namespace {

using base::Code;

/// All of a state that is stored, and of what waits, as text.
std::string text_of_all(const ScanState& state, const Pending& pending) {
  std::string text = state.settings.file_system + "|" + state.host + "|" + std::to_string(state.start_utc_ns) + "|" +
                     text_of(state.settings.rules) + (state.settings.cross_mounts ? "crosses" : "") +
                     (state.settings.rows ? "rows" : "");
  const auto add = [&](auto... numbers) { ((text += "|" + std::to_string(numbers)), ...); };
  for (const std::string& root : state.settings.roots) text += root + ";";
#define HEADRACE_FIELD(name) add(state.sums.totals.name);
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  add(state.unlisted_problems, state.link_bytes, state.row_bytes, state.rows);
  for (const auto& [key, bin] : state.sums.bins)
    add(key.owner.user, key.owner.group, key.owner.place, key.place, bin.files, bin.bytes, bin.total, bin.weighted);
  for (const Range& range : state.sums.ranges) add(range.least, range.greatest);
  for (const Problem& problem : state.problems) text += problem.path + problem.reason;
  for (const Mount& mount : state.mounts) {
    text += mount.path;
    add(mount.device, mount.inode, mount.root);
  }
  for (const OpenDirectory& one : state.open) {
    text += one.path;
    add(one.root, one.cookie, one.entries, one.files, one.unseen, one.unseen_error);
  }
  EXPECT_TRUE(pending
                  .each([&](const PendingGroup& group) {
                    add(group.root);
                    text += group.parent + ":" + group.names;
                    return base::Status();
                  })
                  .ok());
  return text;
}

class State : public ::testing::Test {
 protected:
  void SetUp() override {
    Pending pending(directory_.path());
    ASSERT_TRUE(fill(pending).ok());
    ASSERT_TRUE(write_state(path_, made_state(), &pending).ok());
    expected_ = text_of_all(made_state(), pending);
    bytes_ = content_of(path_);
  }
  /// What is read of `bytes`: everything as it was, or an error.
  Code read(const std::string& bytes) const {
    Pending pending(directory_.path());
    const auto* first = reinterpret_cast<const uint8_t*>(bytes.data());
    auto reader = format::Reader::open_memory({first, bytes.size()});
    if (!reader.ok()) return reader.code();
    const auto state = read_state("state", std::move(*reader), pending);
    if (!state.ok()) {
      EXPECT_FALSE(state.message().empty());
      return state.code();
    }
    EXPECT_EQ(text_of_all(*state, pending), expected_);
    return Code::kOk;
  }
  /// What is read of a state in which one thing is wrong.
  Code read_wrong(const std::function<void(ScanState&, Pending&)>& change) const {
    ScanState state = made_state();
    Pending pending(directory_.path()), again(directory_.path());
    change(state, pending);
    EXPECT_TRUE(write_state(directory_ / "wrong", state, &pending).ok());
    return read_state(directory_ / "wrong", again).code();
  }

  Temporary directory_;
  std::string path_ = directory_ / "state", bytes_, expected_;
};

TEST_F(State, IsReadAsItWasWritten) { EXPECT_EQ(read(bytes_), Code::kOk); }

TEST_F(State, CutOffAnywhereItIsRefused) {
  for (size_t length = 0; length < bytes_.size(); ++length)
    EXPECT_NE(read(bytes_.substr(0, length)), Code::kOk) << length;
}

TEST_F(State, WithAFlippedBitItIsRefusedOrTheSame) {
  for (size_t at = 0; at < bytes_.size(); ++at) {
    std::string flipped = bytes_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    read(flipped);  // says so where it is read and is another one
  }
}

TEST_F(State, NoPathLeadsOutOfItsRoot) {
  using namespace std::string_literals;
  EXPECT_EQ(read_wrong([](ScanState&, Pending&) {}), Code::kOk);
  for (const std::string& path : {".."s, "."s, "/a"s, "a/"s, "a//b"s, "a/../b"s, "a/.."s, "a\0b"s}) {
    EXPECT_EQ(read_wrong([&](ScanState& state, Pending&) { state.open[0].path = path; }), Code::kCorrupt) << path;
    EXPECT_EQ(read_wrong([&](ScanState&, Pending& pending) { EXPECT_TRUE(pending.push(0, path, "x\0"s).ok()); }),
              Code::kCorrupt)
        << path;
  }
  for (const std::string& name : {"..\0"s, ".\0"s, "a/b\0"s, "/\0"s})
    EXPECT_EQ(read_wrong([&](ScanState&, Pending& pending) { EXPECT_TRUE(pending.push(0, "a", name).ok()); }),
              Code::kCorrupt)
        << name;
  EXPECT_EQ(read_wrong([&](ScanState&, Pending& pending) { EXPECT_TRUE(pending.push(0, "a", "\0"s).ok()); }),
            Code::kCorrupt);
}

TEST_F(State, WrongNumbersAreRefused) {
  const std::vector<std::function<void(ScanState&)>> changes = {
      [](ScanState& state) { state.open[0].root = 2; },
      [](ScanState& state) { state.open[0].entries = -1; },
      [](ScanState& state) { state.open[0].entries = INT64_MAX; },
      [](ScanState& state) { state.open[0].files = 41; },
      [](ScanState& state) { state.open[0].unseen = 41; },
      [](ScanState& state) { state.open[0].unseen_error = -1; },
      [](ScanState& state) { state.settings.roots = {"a"}; },
      [](ScanState& state) { state.settings.roots = {}; },
      [](ScanState& state) { state.start_utc_ns = -1; },
      [](ScanState& state) { state.unlisted_problems = -1; },
      [](ScanState& state) { state.sums.totals.files = -1; },
      [](ScanState& state) { state.sums.bins[{{0, 0, 3}, 0}].files = 1; },
      [](ScanState& state) { state.sums.bins[{{0, 0, 0}, 0}].files = -1; },
      [](ScanState& state) { state.sums.bins[{{0, 0, 0}, 0}].bytes = -1; },
  };
  for (size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(read_wrong([&](ScanState& state, Pending&) { changes[i](state); }), Code::kCorrupt) << i;
  EXPECT_EQ(
      read_wrong([](ScanState&, Pending& pending) { EXPECT_TRUE(pending.push(2, "", std::string("a\0", 2)).ok()); }),
      Code::kCorrupt);
}

TEST_F(State, AnotherFileIsLeftAlone) {
  EXPECT_TRUE(check_output(directory_ / "none").ok());
  EXPECT_TRUE(check_output(path_).ok());
  EXPECT_EQ(check_output(directory_.file("text", 100)).code(), Code::kInvalid);
  EXPECT_EQ(check_output(directory_.file("empty", 0)).code(), Code::kInvalid);
}

TEST_F(State, AFailedWriteLeavesTheOldOne) {
  Pending pending(directory_.path());
  EXPECT_FALSE(write_state(directory_ / "none/state", made_state(), &pending).ok());
  std::filesystem::create_directory(path_ + ".new");
  EXPECT_FALSE(write_state(path_, made_state(), &pending).ok());
  EXPECT_EQ(content_of(path_), bytes_);
}

}  // namespace
}  // namespace headrace::collect
