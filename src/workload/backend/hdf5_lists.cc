#include "workload/backend/hdf5_lists.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Id = Hdf5::Id;

constexpr int kPages = 1;               // H5F_FSPACE_STRATEGY_PAGE
constexpr int kCollective = 1;          // H5FD_MPIO_COLLECTIVE
constexpr size_t kCoreStep = 64 << 20;  // by which the core driver grows; as h5perf_serial has it

}  // namespace

Hdf5Lists::Hdf5Lists(const BackendOptions& options, const Hdf5& library, const Mpi* mpi)
    : o_(options), h_(library), mpi_(mpi) {
  if (mpi == nullptr) return;
  hints_.emplace(*mpi, options.hints);
  groups_.emplace(*mpi);
}

Hdf5Lists::~Hdf5Lists() {
  for (const auto& [ranks, list] : shared_) h_.list_close(list);
  for (const Id list : {alone_, creation_, link_, together_})
    if (list != 0) h_.list_close(list);
}

Status Hdf5Lists::check(int64_t result, const char* option) const {
  return result >= 0
             ? Status()
             : Status(Code::kInvalid, std::string(option) + ": " + h_.name + " refuses it: " + h_.text_of_error());
}

Status Hdf5Lists::prepare() {
  creation_ = h_.list_create(h_.of_creation);
  link_ = h_.list_create(h_.of_link);
  HEADRACE_TRY(check(h_.set_groups(link_, 1), "groups"));
  if (o_.hdf5.page_size > 0) {
    HEADRACE_TRY(check(h_.set_space_strategy(creation_, kPages, 0, 1), "--page-size"));
    HEADRACE_TRY(check(h_.set_page_size(creation_, o_.hdf5.page_size), "--page-size"));
  }
  HEADRACE_ASSIGN(alone_, make_access());
  if (mpi_ != nullptr) {
    together_ = h_.list_create(h_.of_transfer);
    if (o_.collective) HEADRACE_TRY(check(h_.set_transfer(together_, kCollective), "--collective"));
    return {};
  }
  if (o_.hdf5.core) HEADRACE_TRY(check(h_.set_core(alone_, kCoreStep, 1), "--core"));
  if (o_.hdf5.cache_image) HEADRACE_TRY(add_cache_image());
  if (o_.hdf5.page_buffer == 0 || h_.parallel) return {};
  return check(h_.set_page_buffer(alone_, o_.hdf5.page_buffer, 0, 0), "--page-buffer");
}

Status Hdf5Lists::add_cache_image() const {
  // A check of this release takes images that releases make for damaged ones (HDFGroup/hdf5, pull request 6311).
  if (h_.name == "HDF5 2.0.0")
    return {Code::kUnsupported,
            "--cache-image: HDF5 2.0.0 cannot read again what it stores so; name another library with --hdf5"};
  constexpr Hdf5::CacheImage kImage = {1, true, false, -1};  // of all that is in the cache, however old it is
  return check(h_.set_cache_image(alone_, &kImage), "--cache-image");
}

/// What files of one rank and shared ones have in common.
Result<Id> Hdf5Lists::make_access() const {
  const Id list = h_.list_create(h_.of_access);
  if (o_.hdf5.latest) HEADRACE_TRY(check(h_.set_libver(list, h_.latest, h_.latest), "--latest"));
  if (o_.hdf5.sieve) HEADRACE_TRY(check(h_.set_sieve(list, *o_.hdf5.sieve), "--sieve"));
  if (o_.align > 0) HEADRACE_TRY(check(h_.set_alignment(list, o_.align, o_.align), "--align"));
  return list;
}

Result<Id> Hdf5Lists::access(const PlannedFile& file) {
  if (!shares(file)) return Id{alone_};
  Id& list = shared_[{file.first, file.ranks}];
  if (list != 0) return Id{list};
  HEADRACE_ASSIGN(const Mpi::Handle communicator, groups_->of(file.first, file.ranks));
  HEADRACE_ASSIGN(list, make_access());
  HEADRACE_TRY(check(h_.set_mpi(list, communicator, hints_->info()), "MPI-IO"));
  if (o_.hdf5.collective_metadata) {
    HEADRACE_TRY(check(h_.set_metadata_writes(list, true), "--collective-metadata"));
    HEADRACE_TRY(check(h_.set_metadata_reads(list, true), "--collective-metadata"));
  }
  return Id{list};
}

std::vector<std::string> Hdf5Lists::remarks() const {
  std::vector<std::string> all = {h_.name + (h_.parallel ? ", built for an MPI" : "")};
  if (o_.hdf5.core && o_.hdf5.page_buffer > 0)
    all.push_back("the core driver keeps the file in memory, so a page buffer has nothing to save");
  constexpr int kVersion2 = 5;  // its default format has a place for cache images
  if (o_.hdf5.cache_image && !o_.hdf5.latest && o_.hdf5.page_size == 0 && h_.latest < kVersion2)
    all.push_back("--cache-image does nothing in the oldest format, which has no place for it: add --latest");
  if (o_.align > 0 && o_.hdf5.page_size > 0) all.push_back("where space is handed out in pages, --align does nothing");
  if (mpi_ == nullptr) {
    if (o_.hdf5.page_buffer > 0 && h_.parallel)
      all.push_back(
          "an HDF5 that is built for an MPI has no page buffer, so --page-buffer does nothing: name a serial one with "
          "--hdf5");
    if (o_.collective || o_.hdf5.collective_metadata || !o_.hints.empty())
      all.push_back("--collective, --collective-metadata and --hint do nothing for files that one rank has by itself");
    return all;
  }
  if (o_.hdf5.page_buffer > 0)
    all.push_back("HDF5 has no page buffer for files that ranks share: --page-buffer does nothing");
  if (o_.hdf5.cache_image)
    all.push_back("HDF5 stores no cache image of files that ranks share: --cache-image does nothing");
  if (o_.hdf5.sieve) all.push_back("HDF5 has no sieve buffer for files that ranks share: --sieve does nothing");
  for (std::string& remark : hints_->remarks()) all.push_back(std::move(remark));
  return all;
}

}  // namespace headrace::workload
