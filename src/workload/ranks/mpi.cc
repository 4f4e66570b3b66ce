#include "workload/ranks/mpi.h"

#include <unistd.h>

#include <algorithm>

#include "workload/ranks/mpi_library.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Status;

constexpr size_t kLargestMessage = 1 << 30;
constexpr int kTag = 0;

class MpiRanks : public Ranks {
 public:
  explicit MpiRanks(Mpi mpi) : mpi_(std::move(mpi)) {}
  ~MpiRanks() override {
    if (joined_) mpi_.finalize();
  }

  Status join() {
    if (const int error = mpi_.init(nullptr, nullptr); error != 0)
      return {Code::kIo, "MPI_Init failed with error " + std::to_string(error)};
    joined_ = true;
    mpi_.comm_rank(mpi_.world, &rank_);
    mpi_.comm_size(mpi_.world, &size_);
    const int launched = launched_ranks();
    if (size_ > 1 || launched <= 1) return {};
    return {Code::kUnsupported, "the launcher has started " + std::to_string(launched) + " ranks, of which " +
                                    mpi_.name +
                                    " knows nothing: name the launcher's own library with --mpi /path/to/libmpi.so"};
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string library() const override { return mpi_.name; }
  void wait_for_all() override { mpi_.barrier(mpi_.world); }
  std::vector<uint8_t> gather(std::span<const uint8_t> mine) override {
    std::vector<uint8_t> all(rank_ == 0 ? mine.size() * static_cast<size_t>(size_) : 0);
    const auto count = static_cast<int>(mine.size());
    mpi_.gather(mine.data(), count, mpi_.byte, all.data(), count, mpi_.byte, 0, mpi_.world);
    return all;
  }
  void share(std::span<uint8_t> bytes) override {
    mpi_.bcast(bytes.data(), static_cast<int>(bytes.size()), mpi_.byte, 0, mpi_.world);
  }
  void send(int rank, std::span<const uint8_t> bytes, bool awaited) override {
    const auto send = awaited ? mpi_.send_and_wait : mpi_.send;
    do {  // counts are 32 bits wide
      const size_t size = std::min(bytes.size(), kLargestMessage);
      send(bytes.data(), static_cast<int>(size), mpi_.byte, rank, kTag, mpi_.world);
      bytes = bytes.subspan(size);
    } while (!bytes.empty());
  }
  void receive(int rank, std::span<uint8_t> bytes) override {
    do {
      const size_t size = std::min(bytes.size(), kLargestMessage);
      Mpi::Status status;
      mpi_.receive(bytes.data(), static_cast<int>(size), mpi_.byte, rank, kTag, mpi_.world, &status);
      bytes = bytes.subspan(size);
    } while (!bytes.empty());
  }
  [[noreturn]] void abort(int status) override {
    mpi_.abort(mpi_.world, status);
    _exit(status);
  }
  const Mpi& mpi() const { return mpi_; }

 private:
  const Mpi mpi_;
  bool joined_ = false;
  int rank_ = 0, size_ = 1;
};

}  // namespace

std::string Mpi::text_of(int error) const {
  char text[1024] = "";  // MPI_MAX_ERROR_STRING is at most 512
  int length = 0;
  if (error_string(error, text, &length) != 0 || text[0] == '\0') return "error " + std::to_string(error);
  return text;
}

base::Result<std::unique_ptr<Ranks>> join_ranks(const std::string& library, const BeforeInit& before) {
  if (library.empty() && !is_launched()) return std::unique_ptr<Ranks>(std::make_unique<Ranks>());
  HEADRACE_ASSIGN(Mpi mpi, load_mpi(library));
  HEADRACE_TRY(before(mpi));
  auto ranks = std::make_unique<MpiRanks>(std::move(mpi));
  HEADRACE_TRY(ranks->join());
  return std::unique_ptr<Ranks>(std::move(ranks));
}

const Mpi* mpi_of(const Ranks& ranks) {
  return ranks.library().empty() ? nullptr : &static_cast<const MpiRanks&>(ranks).mpi();
}

}  // namespace headrace::workload
