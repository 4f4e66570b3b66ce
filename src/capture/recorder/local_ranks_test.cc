#include "capture/recorder/local_ranks.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>

namespace headrace::capture {
namespace {

class LocalRanks : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kVariables) unsetenv(name);
  }
  void TearDown() override { SetUp(); }
  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
  static constexpr const char* kVariables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                               "OMPI_COMM_WORLD_SIZE",
                                               "OMPI_COMM_WORLD_RANK",
                                               "MPI_LOCALNRANKS",
                                               "PMI_SIZE",
                                               "PMI_RANK",
                                               "PALS_LOCAL_SIZE",
                                               "PALS_RANKID",
                                               "SLURM_NODEID",
                                               "SLURM_PROCID",
                                               "SLURM_STEP_NUM_TASKS",
                                               "SLURM_STEP_TASKS_PER_NODE",
                                               "SLURM_TASKS_PER_NODE"};
};

TEST_F(LocalRanks, AreToldByTheLauncher) {
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 0, 8), 0);
  set({{"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "5"}});
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 5, 8), 4);
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 5, 6), 0) << "of another launch";
}

TEST_F(LocalRanks, OfAnOuterLaunchAreNotOurs) {
  set({{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "1"}});
  EXPECT_EQ(local_ranks("MPICH Version: 4.0.2", 1, 4), 0) << "the same numbers, but another MPI";
  set({{"MPI_LOCALNRANKS", "3"}, {"PMI_SIZE", "4"}, {"PMI_RANK", "1"}});
  EXPECT_EQ(local_ranks("MPICH Version: 4.0.2", 1, 4), 3);
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 1, 4), 2);
}

TEST_F(LocalRanks, AreToldBySlurm) {
  set({{"SLURM_NODEID", "1"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "11"}, {"SLURM_TASKS_PER_NODE", "11"}});
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 5, 11), 0) << "no such node";
  set({{"SLURM_STEP_TASKS_PER_NODE", "4(x2),3"}});
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 5, 11), 4);
  EXPECT_EQ(local_ranks("Open MPI v4.1.4", 0, 2), 0) << "of the step, not of what runs in one of its tasks";
}

TEST(TasksOfNode, ReadsTheListsOfSlurm) {
  const long expected[] = {4, 4, 3, 0};
  for (long node = 0; node < 4; ++node) EXPECT_EQ(tasks_of_node("4(x2),3", node), expected[node]) << node;
  EXPECT_EQ(tasks_of_node("16", 0), 16);
  EXPECT_EQ(tasks_of_node("1,2,3(x10)", 11), 3);
  for (const char* list : {"", "x", "4(x", "4(x2", ",3", "4(x2)3", "-4"}) EXPECT_EQ(tasks_of_node(list, 2), 0) << list;
  EXPECT_EQ(tasks_of_node("4(x2),3", -1), 0);
}

}  // namespace
}  // namespace headrace::capture
