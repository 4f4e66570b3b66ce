#include "workload/replay/plan.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>
#include <set>
#include <string_view>

#include "workload/replay/player.h"
#include "workload/replay/together.h"
#include "workload/replay/tree.h"

namespace headrace::workload::replay {
namespace {

constexpr const char* kStdio[] = {"posix", "stdio"};

uint32_t function_of(Recording& job, const char* layer, const char* name) {
  if (job.functions.empty())
    job.functions.push_back({"mpi", "MPI_Barrier", Layer::kOther, {"MPI_Barrier", Action::kWaitForAll}});
  const Done done = done_for(layer, name);
  job.functions.push_back({layer, name, layer_of(layer), done, reads(done.action) || writes(done.action)});
  return static_cast<uint32_t>(job.functions.size() - 1);
}

uint32_t path_of(Recording& job, const std::string& name) {
  job.paths.push_back(name);
  return static_cast<uint32_t>(job.paths.size() - 1);
}

/// Calls of a rank, each a little later than the one before.
class Made {
 public:
  explicit Made(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) job.processes.push_back({static_cast<uint64_t>(rank) + 1, rank, 0, "app"});
  }
  Call& add(int rank, const char* layer, const char* name, uint32_t path, uint64_t offset = kUnknown,
            uint64_t bytes = 0) {
    Call call;
    call.function = function_of(job, layer, name);
    call.path = path;
    call.offset = offset;
    call.asked = call.moved = bytes;
    call.begin_ns = at_[rank] += 10;
    call.duration_ns = 5;
    call.ended = true;
    auto& calls = job.processes[static_cast<size_t>(rank)].calls;
    calls.push_back(call);
    return calls.back();
  }
  Recording job;

 private:
  std::map<int, uint64_t> at_;
};

std::vector<Action> actions(const std::vector<Step>& steps) {
  std::vector<Action> all;
  for (const Step& step : steps) all.push_back(step.action);
  return all;
}

TEST(ReplayPlan, GoesToWhereTheNextReadingBegins) {
  Made made(1);
  const uint32_t file = path_of(made.job, "/data/a");
  made.add(0, "posix", "open", file);
  made.add(0, "posix", "lseek", file);
  made.add(0, "posix", "read", file, 700, 100);
  made.add(0, "posix", "read", file, 800, 100);
  made.add(0, "posix", "read", file, 50, 10);  // whose lseek is not in the trace
  const auto plan = make_plan(made.job, {});
  ASSERT_TRUE(plan.ok()) << plan.message();
  const auto steps = steps_of(*plan, made.job, 0);
  EXPECT_EQ(actions(steps),
            (std::vector{Action::kOpen, Action::kSeek, Action::kRead, Action::kRead, Action::kSeek, Action::kRead}));
  EXPECT_EQ(steps[1].offset, 700u);
  EXPECT_TRUE(steps[4].extra);
  EXPECT_EQ(steps[4].offset, 50u);
  ASSERT_EQ(plan->prepared.size(), 2u);  // the directory, and the file as far as it was read
  EXPECT_EQ(plan->prepared[1].bytes, 900u);
}

TEST(ReplayPlan, LeavesOutWhatOtherCallsMade) {
  Made made(1);
  const uint32_t file = path_of(made.job, "/data/a"), pipe = path_of(made.job, "<pipe>");
  made.add(0, "hdf5", "H5Dwrite", file, kUnknown, 100);
  made.add(0, "posix", "open", file);
  made.add(0, "posix", "pwrite", file, 0, 100).inside = 0;  // of H5Dwrite: replayed
  made.add(0, "posix", "pwrite", file, 100, 10).of_mpi = true;
  made.add(0, "posix", "write", pipe, 0, 1);
  made.add(0, "posix", "mmap", file);
  const auto plan = make_plan(made.job, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(actions(steps_of(*plan, made.job, 0)), (std::vector{Action::kOpen, Action::kWriteAt}));
  EXPECT_EQ(plan->below.at("hdf5").calls, 1u);
  EXPECT_EQ(plan->left_out.at(kMadeByMpi).bytes, 10u);
  EXPECT_EQ(plan->left_out.at(kNoFiles).calls, 1u);
  EXPECT_EQ(plan->left_out.at("mmap: which pages of mapped memory are read and written is in no trace").calls, 1u);
}

Made two_ranks_with_a_file(bool second_closes) {
  Made made(2);
  const uint32_t file = path_of(made.job, "/data/a");
  for (int rank = 0; rank < 2; ++rank) {
    made.add(rank, "mpiio", "MPI_File_open", file);
    made.add(rank, "posix", "open", file).inside = 0;
    made.add(rank, "mpiio", "MPI_File_write_at_all", file, 0, 100);
    made.add(rank, "posix", "pwrite", file, 0, 100).inside = 2;
    if (rank == 0 || second_closes) made.add(rank, "mpiio", "MPI_File_close", file);
  }
  return made;
}

TEST(ReplayPlan, TakesMpiIoWhereAllRanksHaveItAlike) {
  Made made = two_ranks_with_a_file(true);
  const auto plan = make_plan(made.job, {.ranks = 2, .mpi = true});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(actions(steps_of(*plan, made.job, 1)),
            (std::vector{Action::kMpiOpen, Action::kMpiWriteAll, Action::kMpiClose}));
  EXPECT_EQ(plan->groups, (std::vector<std::vector<int>>{{0, 1}}));
}

TEST(ReplayPlan, TakesTheCallsBelowWhereRanksDiffer) {
  Made made = two_ranks_with_a_file(false);
  const auto plan = make_plan(made.job, {.ranks = 2, .mpi = true});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(actions(steps_of(*plan, made.job, 1)), (std::vector{Action::kOpen, Action::kWriteAt}));
  EXPECT_FALSE(plan->remarks.empty());
}

TEST(ReplayCalls, EveryFunctionThatIsRecordedHasARow) {
  std::vector<std::pair<const char*, const char*>> recorded = {
#define FUNCTION(id, ret, params, args, module, doc) {kStdio[#module == std::string_view("stdio")], #id},
#define SPECIAL FUNCTION
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
#define KERNEL_AIO(id, params, args, how, doc) {"posix", #id},
#define RING(id, params, args, ring, how, doc) {"posix", #id},
#define SPECIAL_RING(id, doc) {"posix", #id},
#define OPERATION(id, doc) {"posix", #id},
#include "intercept/asynchronous.def"
#undef KERNEL_AIO
#undef RING
#undef SPECIAL_RING
#undef OPERATION
#define AT(id, count, direction, how, doc) {"mpiio", "MPI_" #id},
#define NEXT AT
#define AT_BEGIN AT
#define NEXT_BEGIN AT
#define END(id, direction, doc) {"mpiio", "MPI_" #id},
#define OTHER(id, params, args, doc) {"mpiio", "MPI_" #id},
#include "intercept/mpi_files.def"
#undef AT
#undef NEXT
#undef AT_BEGIN
#undef NEXT_BEGIN
#undef END
#undef OTHER
  };
  for (const auto& [layer, name] : recorded) {
    const Done done = done_for(layer, name);
    EXPECT_TRUE(done.action != Action::kNone || *done.why != 0) << "calls.def has no row for " << layer << " " << name;
  }
}

TEST(ReplayPlan, MakesLinksOfTheNamesThatTheTraceHas) {
  Made made(1);
  const uint32_t old_name = path_of(made.job, "/data/old"), new_name = path_of(made.job, "/data/new"),
                 other = path_of(made.job, "/data/other");
  made.add(0, "posix", "link", new_name, old_name);
  made.add(0, "posix", "symlink", other, old_name);
  made.add(0, "posix", "linkat", path_of(made.job, "/data/lost"));  // as traces had it that had no second name
  const auto plan = make_plan(made.job, {});
  ASSERT_TRUE(plan.ok()) << plan.message();
  const auto steps = steps_of(*plan, made.job, 0);
  EXPECT_EQ(actions(steps), (std::vector{Action::kLink, Action::kSymbolicLink}));
  EXPECT_EQ(steps[0].from, old_name);
  EXPECT_EQ(plan->left_out.at("linkat: its other name is not in the trace").calls, 1u);
  ASSERT_EQ(plan->prepared.size(), 2u);  // the directory, and what gets another name
  EXPECT_EQ(plan->prepared[1].path, old_name);
}

TEST(ReplayPlan, PreparesWhereItWasWhatARenamedDirectoryHas) {
  Made made(1);
  const uint32_t old_name = path_of(made.job, "/data/old"), new_name = path_of(made.job, "/data/new");
  made.add(0, "posix", "rename", old_name, new_name);
  made.add(0, "posix", "stat", path_of(made.job, "/data/new/file"));
  const auto plan = make_plan(made.job, {});
  ASSERT_TRUE(plan.ok()) << plan.message();
  std::vector<std::string> prepared;
  for (const Prepared& what : plan->prepared) prepared.push_back(made.job.paths[what.path]);
  EXPECT_EQ(prepared, (std::vector<std::string>{"/data", "/data/old", "/data/old/file"}));
}

TEST(ReplayPlan, AStreamIsMadeOfTheDescriptorThatIsOpen) {
  Made made(1);
  const uint32_t file = path_of(made.job, "/data/a");
  made.add(0, "posix", "mkstemp", file);
  made.add(0, "stdio", "fdopen", file);
  made.add(0, "stdio", "fputs_unlocked", file, 0, 10);
  made.add(0, "posix", "fstat", file);  // of its descriptor
  made.add(0, "stdio", "fclose", file);
  const auto plan = make_plan(made.job, {});
  ASSERT_TRUE(plan.ok()) << plan.message();
  const auto steps = steps_of(*plan, made.job, 0);
  EXPECT_EQ(actions(steps), (std::vector{Action::kOpenNew, Action::kStreamOn, Action::kStreamWrite, Action::kLook,
                                         Action::kStreamClose}));
  EXPECT_EQ(steps[1].from, steps[0].slot);
  EXPECT_EQ(steps[3].slot, steps[1].slot);
}

TEST(ReplayPlan, AChildHasWhatItsParentHasOpen) {
  Made made(2);
  for (Process& process : made.job.processes) process.rank = -1;
  const uint32_t file = path_of(made.job, "/data/a");
  made.add(0, "posix", "creat", file);
  made.add(0, "posix", "write", file, 0, 10);
  made.add(1, "posix", "write", file, 10, 10).begin_ns = 100;
  const auto plan = make_plan(made.job, {.ranks = 1, .fold = true});
  ASSERT_TRUE(plan.ok()) << plan.message();
  const auto steps = steps_of(*plan, made.job, 0);
  EXPECT_EQ(actions(steps), (std::vector{Action::kOpen, Action::kWrite, Action::kDuplicate, Action::kWrite}));
  EXPECT_TRUE(steps[2].extra);
}

TEST(ReplayPlan, RanksMeetBehindCollectiveCallsThatAreReplayedByThoseBelow) {
  Made made(2);
  const uint32_t file = path_of(made.job, "/data/a");
  for (int rank = 0; rank < 2; ++rank) {
    made.add(rank, "mpiio", "MPI_File_set_view", file);
    made.add(rank, "mpiio", "MPI_File_write_all", file, 0, 100).duration_ns = 25;
    made.add(rank, "posix", "pwrite", file, 0, 200).inside = 1;
    made.add(rank, "posix", "pread", file, 0, 200).begin_ns += 20;
  }
  const auto plan = make_plan(made.job, {.ranks = 2, .mpi = true});
  ASSERT_TRUE(plan.ok()) << plan.message();
  EXPECT_EQ(plan->meetings, 1u);
  const auto steps = steps_of(*plan, made.job, 1);
  EXPECT_EQ(actions(steps), (std::vector{Action::kOpen, Action::kWriteAt, Action::kWaitForAll, Action::kReadAt}));
}

TEST(ReplayPlan, RefusesAnotherNumberOfRanks) {
  Made made(3);
  for (int rank = 0; rank < 3; ++rank) made.add(rank, "posix", "open", path_of(made.job, "/a"));
  EXPECT_NE(make_plan(made.job, {.ranks = 2}).message().find("mpirun -n 3"), std::string::npos);
  EXPECT_FALSE(make_plan(made.job, {.ranks = 4, .fold = true}).ok());
  const auto plan = make_plan(made.job, {.ranks = 2, .fold = true});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->ranks[0].size(), 2u);
}

TEST(ReplayTree, NoNameLeadsOutOfTheDirectory) {
  EXPECT_EQ(name_below("/a/b"), "a/b");
  EXPECT_EQ(name_below("/../../etc/x"), "etc/x");
  EXPECT_EQ(name_below("//a/./b/../c"), "a/c");
  EXPECT_EQ(name_below("/"), "root");
  EXPECT_LE(name_below("/" + std::string(5000, 'x')).size(), 40u);
  EXPECT_LE(name_below("/" + std::string(5000, 'x') + "/y").size(), 40u);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "/a";
  EXPECT_EQ(name_below(deep).find('/'), std::string::npos);
}

/// Anything that a damaged trace could say.
Recording random_job(std::mt19937_64& random) {
  const auto below = [&](uint64_t most) { return random() % most; };
  static constexpr std::pair<const char*, const char*> kNames[] = {
#define CALL(layer, recorded, done, action) {#layer, #recorded},
#include "workload/replay/calls.def"
#undef CALL
      {"hdf5", "H5Dwrite"},        {"mpiio", "MPI_File_set_view"},     {"posix", "splice"}, {"mpiio", "MPI_File_open"},
      {"mpiio", "MPI_File_close"}, {"mpiio", "MPI_File_write_at_all"}, {"posix", "open"},   {"posix", "write"}};
  Recording job;
  for (const auto& [layer, name] : kNames) function_of(job, layer, name);
  for (const char* path : {"/x/a", "/x/b", "/x", "/x/d/e", "<pipe>", "/../up", "/x/a/below", "relative"})
    path_of(job, path);
  const uint64_t processes = 1 + below(4);
  for (uint64_t p = 0; p < processes; ++p) {
    Process process = {p + 1, static_cast<int64_t>(p), 0, "app"};
    const uint64_t calls = below(60);
    for (uint64_t i = 0; i < calls; ++i) {
      Call call;
      call.begin_ns = below(8) == 0 ? random() : i * 10;
      call.duration_ns = below(30);
      call.asked = below(10000);
      call.moved = below(3) == 0 ? below(10000) : call.asked;
      call.offset = below(4) == 0 ? kUnknown : below(100000);
      call.function =
          static_cast<uint32_t>(below(3) == 0 ? job.functions.size() - 1 - below(5) : below(job.functions.size()));
      call.path = static_cast<uint32_t>(below(job.paths.size()));
      call.inside = below(4) == 0 ? static_cast<uint32_t>(below(80)) : kNone;
      call.error = below(5) == 0 ? (below(2) == 0 ? ENOENT : static_cast<uint32_t>(below(40))) : 0;
      call.thread = static_cast<uint32_t>(below(3));
      call.ended = below(10) != 0;
      process.calls.push_back(call);
    }
    job.processes.push_back(std::move(process));
    if (below(2) == 0)
      job.facts[{p + 1, "/x/a"}] = {.created = below(2) == 0,
                                    .truncated = below(2) == 0,
                                    .size_known = true,
                                    .size_at_open = below(5000),
                                    .final_path = "/x/b"};
  }
  return job;
}

TEST(ReplayPlan, WhateverATraceSaysRanksComeToAnEnd) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    Recording job = random_job(random);
    const auto plan = make_plan(job, {.ranks = static_cast<int>(job.processes.size()), .mpi = true});
    if (!plan.ok()) continue;
    EXPECT_TRUE(comes_to_an_end(job, *plan));
    for (int rank = 0; rank < static_cast<int>(plan->ranks.size()); ++rank) {
      std::set<uint32_t> made;
      for (const Step& step : steps_of(*plan, job, rank)) {
        EXPECT_LT(step.path, job.paths.size());
        if (opens(step.action) || converts(step.action) || step.action == Action::kDuplicate) {
          EXPECT_TRUE(made.insert(step.slot).second);
        } else if (needs_open(step.action)) {
          EXPECT_TRUE(made.contains(step.slot));
        }
        if (converts(step.action) || step.action == Action::kDuplicate) {
          EXPECT_TRUE(made.contains(step.from));
        }
        EXPECT_TRUE(step.group == kNone || step.group < plan->groups.size());
      }
    }
  }
}

TEST(ReplayPlayer, WhateverATraceSaysItStaysInItsDirectory) {
  std::mt19937_64 random(11);
  char root[] = "/tmp/replay-test-XXXXXX";
  ASSERT_NE(mkdtemp(root), nullptr);
  for (int round = 0; round < 150; ++round) {
    Recording job = random_job(random);
    job.processes.resize(1);
    const auto plan = make_plan(job, {});
    if (!plan.ok()) continue;
    Ranks ranks;
    const auto never = [] { return false; };
    const std::string inner = std::string(root) + "/inner";
    ASSERT_EQ(mkdir(inner.c_str(), 0777), 0);
    (void)prepare_tree(inner, job, *plan, 0, 1, never);
    auto player = Player::make(job, *plan, steps_of(*plan, job, 0), ranks, {.root = inner, .stopped = never});
    ASSERT_TRUE(player.ok()) << player.message();
    EXPECT_TRUE((*player)->play().ok());
    player = base::Status(base::Code::kLimit, "closes its files");
    empty_tree(inner);
    EXPECT_EQ(rmdir(inner.c_str()), 0);
  }
  EXPECT_EQ(rmdir(root), 0);
}

}  // namespace
}  // namespace headrace::workload::replay
