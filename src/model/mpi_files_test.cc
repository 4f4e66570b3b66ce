#include "model/mpi_files.h"

#include <gtest/gtest.h>

namespace headrace::model {
namespace {

TEST(MpiFiles, AreKnownByTheirNames) {
  for (const char* path : {
           "/tmp/ompi.node1.1000",
           "/tmp/ompi.node1.1000/pid.14718/1/3",
           "/scratch/job.77/ompi.login.example.org.1000/pid.1/contact.txt",
           "/tmp/ompi.4711/1",
           "/dev/shm/vader_segment.node1.0.55800001.0",
           "/dev/shm/sm_segment.node1.0.55800001.0",
           "/dev/shm/ucx_shm_posix_a78dee4",
           "/dev/shm/mpich_shar_tmpVZcgPF",
           "/tmp/mpich_shar_tmpVZcgPF",
           "/scratch/run/dump.h5.locktest.12",
           "/scratch/run/.dump.h5.shfp.16213.1751003312",
           "/scratch/run/.dump.shfp.77",
           "/var/run/user/dump.h5_cid--1-0.sm",
           "/scratch/dump_cid-3-16213.sm",
           "/home/me/.openmpi/mca-params.conf",
           "/home/me/.pmix",
       }) {
    EXPECT_NE(mpi_file(path).rule, nullptr) << path;
  }
}

TEST(MpiFiles, OfTheProgramAreNotTaken) {
  for (const char* path : {
           "",
           "/",
           "ompi.node1.1000",
           "/home/me/ompi.dat",
           "/home/me/ompi.h5/x",
           "/home/me/ompi.",
           "/scratch/me/ompi.5/run/out.h5",
           "/opt/ompi.4.1/lib/x",
           "/tmp/ompi",
           "/scratch/vader_segment.dat",
           "/dev/shm/mine",
           "/dev/shm/x/vader_segment.1",
           "/scratch/a.locktest.",
           "/scratch/a.locktest.dat",
           "/scratch/locktest.1",
           "/scratch/dump.shfp.1",
           "/scratch/.dump.shfp.last",
           "/scratch/.dump.shfp.1/x",
           "/scratch/.shfp.1",
           "/scratch/dump_cid-1-2.dat",
           "/scratch/dump_cid-a.sm",
           "/scratch/_cid-1-2.sm",
           "/scratch/dump_cid-.sm",
           "/home/me/openmpi/x",
           "/home/me/.openmpi2",
       }) {
    EXPECT_EQ(mpi_file(path).rule, nullptr) << path;
  }
}

}  // namespace
}  // namespace headrace::model
