#include "convert/otf2/regions.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace headrace::convert::otf2 {

using events::Reference;
using model::TimeClass;

namespace {

// The first that a name has in it is it, so longer ones stand before those that they contain.
constexpr std::pair<std::string_view, OTF2_CollectiveOp> kCollectives[] = {
    {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
    {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    {"gather", OTF2_COLLECTIVE_OP_GATHER},
    {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
    {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
    {"scan", OTF2_COLLECTIVE_OP_SCAN},
    {"bcast", OTF2_COLLECTIVE_OP_BCAST},
    {"barrier", OTF2_COLLECTIVE_OP_BARRIER},
    {"free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
    {"disconnect", OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
    {"comm_", OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"file_open", OTF2_COLLECTIVE_OP_CREATE_HANDLE},
    {"file_close", OTF2_COLLECTIVE_OP_DESTROY_HANDLE},
};

constexpr std::string_view kFlushes[] = {"fsync",         "fdatasync", "sync_file_range", "syncfs",  "msync",
                                         "MPI_File_sync", "fflush",    "ncmpi_sync",      "H5Fflush"};

bool starts(const std::string& name, std::string_view with) { return name.starts_with(with); }

}  // namespace

uint32_t io_paradigm_of(const std::string& layer) {
  for (uint32_t i = 0; i + 1 < kParadigms; ++i)
    if (layer == kIoParadigms[i].layer) return i;
  return kParadigms - 1;
}

OTF2_Paradigm paradigm_of(const Reference& reference) {
  if (reference.layer == "mpi" || reference.layer == "mpiio") return OTF2_PARADIGM_MPI;
  if (reference.time_class == TimeClass::kTracing) return OTF2_PARADIGM_MEASUREMENT_SYSTEM;
  if (starts(reference.name, "pthread_")) return OTF2_PARADIGM_PTHREAD;
  if (reference.layer == "phase") return OTF2_PARADIGM_USER;
  return reference.kind == "region" && reference.time_class == TimeClass::kProgram ? OTF2_PARADIGM_USER
                                                                                   : OTF2_PARADIGM_UNKNOWN;
}

OTF2_RegionRole role_of(const Reference& reference) {
  switch (reference.time_class) {
    case TimeClass::kProgram:
      return reference.layer == "phase" ? OTF2_REGION_ROLE_CODE : OTF2_REGION_ROLE_FUNCTION;
    case TimeClass::kMessages:
      return OTF2_REGION_ROLE_POINT2POINT;
    case TimeClass::kCollective:
      return reference.name.find("arrier") != std::string::npos ? OTF2_REGION_ROLE_BARRIER
                                                                : OTF2_REGION_ROLE_COLL_OTHER;
    case TimeClass::kWait:
      return OTF2_REGION_ROLE_THREAD_WAIT;
    case TimeClass::kRead:
    case TimeClass::kWrite:
      return OTF2_REGION_ROLE_FILE_IO;
    case TimeClass::kMetadata:
      return OTF2_REGION_ROLE_FILE_IO_METADATA;
    case TimeClass::kTracing:
      return OTF2_REGION_ROLE_ARTIFICIAL;
  }
  return OTF2_REGION_ROLE_UNKNOWN;
}

OTF2_RegionFlag flags_of(const Reference& reference) {
  return reference.layer == "phase" ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE;
}

Operation operation_of(const Reference& reference) {
  Operation operation;
  const bool flush = std::find(std::begin(kFlushes), std::end(kFlushes), reference.name) != std::end(kFlushes);
  operation.told = reference.time_class == TimeClass::kRead || reference.time_class == TimeClass::kWrite || flush;
  if (reference.time_class == TimeClass::kWrite) operation.mode = OTF2_IO_OPERATION_MODE_WRITE;
  if (flush) operation.mode = OTF2_IO_OPERATION_MODE_FLUSH;
  const bool together = reference.layer == "mpiio" && (reference.name.find("_all") != std::string::npos ||
                                                       reference.name.find("_ordered") != std::string::npos);
  if (together) operation.flags = OTF2_IO_OPERATION_FLAG_COLLECTIVE;
  return operation;
}

OTF2_CollectiveOp collective_of(const std::string& name, uint64_t bytes) {
  std::string lower = name;
  for (char& each : lower) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  for (const auto& [part, operation] : kCollectives)
    if (lower.find(part) != std::string::npos) return operation;
  return bytes == 0 ? OTF2_COLLECTIVE_OP_BARRIER : OTF2_COLLECTIVE_OP_ALLTOALLW;
}

}  // namespace headrace::convert::otf2
