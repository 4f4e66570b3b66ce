#include "programs/finalize/mpi_communicator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace headrace::programs {
namespace {

uint64_t claimed = 0;  // by the other rank, as the length of its message

int send(const void*, int, uint64_t, int, int, uint64_t, uint64_t*) { return 0; }
int receive(void* bytes, int count, uint64_t, int, int, uint64_t, uint64_t*) {
  std::memset(bytes, 0, static_cast<size_t>(count));
  if (count > static_cast<int>(sizeof claimed)) std::memcpy(bytes, &claimed, sizeof claimed);  // the rest is shorter
  return 0;
}
int test(uint64_t*, int* done, void*) {
  *done = 1;
  return 0;
}

base::Status received_of(uint64_t length, std::vector<uint8_t>* bytes) {
  capture::MpiAccess request{};
  request.ranks = 2;
  request.patience_ns = 1'000'000'000;
  request.isend = send;
  request.irecv = receive;
  request.test = test;
  claimed = length;
  return MpiCommunicator(request).exchange(base::kNobody, {}, 1, bytes);
}

TEST(MpiCommunicator, TakesMessagesOfAnyHonestLength) {
  std::vector<uint8_t> bytes;
  for (uint64_t length : {0u, 1u, 8184u, 8185u, 1u << 20}) {
    EXPECT_TRUE(received_of(length, &bytes).ok());
    EXPECT_EQ(bytes.size(), length);
  }
}

TEST(MpiCommunicator, RefusesLengthsThatCannotBe) {
  std::vector<uint8_t> bytes;
  for (uint64_t length : {uint64_t{1} << 40, (uint64_t{8} << 30) + 1, ~uint64_t{0}})
    EXPECT_EQ(received_of(length, &bytes).code(), base::Code::kCorrupt);
}

}  // namespace
}  // namespace headrace::programs
