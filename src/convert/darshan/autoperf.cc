#include "convert/darshan/autoperf.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace headrace::convert::darshan {
namespace {

using Kind = Field::Kind;

/// Functions in the order of a record, in groups that are counted alike.
struct Group {
  std::string_view names;
  bool moves;  // bytes and sizes are counted
  bool waits;  // the wait for the others, before the call itself, is timed
};
constexpr Group kGroups[] = {
    {"SEND SSEND RSEND BSEND RECV SENDRECV SENDRECV_REPLACE ISEND ISSEND IRSEND IBSEND IRECV", true, false},
    {"PROBE IPROBE TEST TESTANY TESTALL TESTSOME WAIT WAITANY WAITALL WAITSOME", false, false},
    {"BARRIER", false, true},
    {"IBARRIER", false, false},
    {"BCAST GATHER GATHERV SCATTER SCATTERV SCAN EXSCAN ALLGATHER ALLGATHERV REDUCE ALLREDUCE REDUCE_SCATTER ALLTOALL "
     "ALLTOALLV ALLTOALLW",
     true, true},
    {"IBCAST IGATHER IGATHERV ISCATTER ISCATTERV ISCAN IEXSCAN IALLGATHER IALLGATHERV IREDUCE IALLREDUCE "
     "IREDUCE_SCATTER IALLTOALL IALLTOALLV IALLTOALLW",
     true, false},
    {"PUT GET ACCUMULATE GET_ACCUMULATE", true, false},
    {"FETCH_AND_OP COMPARE_AND_SWAP WIN_FENCE WIN_START WIN_COMPLETE WIN_POST WIN_WAIT WIN_TEST WIN_LOCK WIN_UNLOCK "
     "WIN_UNLOCK_ALL WIN_FLUSH WIN_FLUSH_ALL WIN_FLUSH_LOCAL WIN_FLUSH_LOCAL_ALL WIN_SYNC",
     false, false},
};
constexpr std::string_view kMessageSpans[] = {"0_256", "256_1K", "1K_8K", "8K_256K", "256K_1M", "1M_PLUS"};

template <typename Each>
void each_function(Each each) {
  for (const Group& group : kGroups) {
    for (std::string_view rest = group.names; !rest.empty();) {
      const size_t end = std::min(rest.find(' '), rest.size());
      each(rest.substr(0, end), group);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

/// "SENDRECV_REPLACE" as "MPI_Sendrecv_replace".
std::string in_c(std::string_view name) {
  std::string text = "MPI_" + std::string(name);
  for (size_t i = 5; i < text.size(); ++i) {
    text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return text;
}

struct Mpi {
  std::vector<Field> fields = {{"id", Kind::kU64}, {"rank", Kind::kI64}};
  std::vector<MpiFunction> functions;

  size_t add(const std::string& name, Kind kind, size_t bytes = 8) {
    fields.push_back({name, kind, bytes});
    return fields.size() - 1;
  }

  Mpi() {
    each_function([&](std::string_view function, const Group& group) {
      const std::string name = "MPI_" + std::string(function);
      functions.push_back({in_c(function), add(name + "_CALL_COUNT", Kind::kU64), SIZE_MAX, 0, 0, SIZE_MAX});
      if (!group.moves) return;
      functions.back().bytes = add(name + "_TOTAL_BYTES", Kind::kU64);
      for (const std::string_view span : kMessageSpans) add(name + "_MSG_SIZE_AGG_" + std::string(span), Kind::kU64);
    });
    size_t at = 0;
    each_function([&](std::string_view function, const Group&) {
      const std::string name = "MPI_" + std::string(function);
      functions[at].time = add(name + "_TOTAL_TIME", Kind::kF64);
      add(name + "_MIN_TIME", Kind::kF64);
      functions[at++].longest = add(name + "_MAX_TIME", Kind::kF64);
    });
    at = 0;
    each_function([&](std::string_view function, const Group& group) {
      MpiFunction& of = functions[at++];
      if (group.waits) of.waited = add("MPI_" + std::string(function) + "_TOTAL_SYNC_TIME", Kind::kF64);
    });
    add("MPI_TOTAL_COMM_TIME", Kind::kF64);
    add("MPI_TOTAL_COMM_SYNC_TIME", Kind::kF64);
    add("node_name", Kind::kText, 128);
  }
};

const Mpi& mpi() {
  static const Mpi kMpi;
  return kMpi;
}

std::vector<Field> router_fields() {
  std::vector<Field> fields = {{"id", Kind::kU64}};
  for (const char* name : {"rank", "group", "chassis", "blade", "node"}) fields.push_back({name, Kind::kI64});
  const auto add = [&](const std::string& port, std::string_view what) {
    fields.push_back({"AR_RTR_" + port + "_INQ_PRF_" + std::string(what), Kind::kU64});
  };
  for (int row = 0; row < 5; ++row) {
    for (int column = 0; column < 8; ++column) {
      const std::string port = std::to_string(row) + "_" + std::to_string(column);
      for (int channel = 0; channel < 8; ++channel) add(port, "INCOMING_FLIT_VC" + std::to_string(channel));
      add(port, "ROWBUS_STALL_CNT");
    }
  }
  for (int column = 0; column < 8; ++column) {  // of processors
    for (const char* what :
         {"INCOMING_FLIT_VC0", "INCOMING_FLIT_VC4", "REQ_ROWBUS_STALL_CNT", "RSP_ROWBUS_STALL_CNT"}) {
      add("PT_5_" + std::to_string(column), what);
    }
  }
  return fields;
}

constexpr int64_t magic_of(std::string_view text) {
  int64_t magic = 0;
  for (const char c : text) magic = magic << 8 | c;
  return magic;
}

}  // namespace

std::span<const AutoPerf> autoperf_modules() {
  static const AutoPerf kModules[] = {
      {Module::kApxc,
       magic_of("AUTOPERF"),
       "darshan_apxc",
       "darshan_apxchd",
       {{"id", Kind::kU64},
        {"rank", Kind::kI64},
        {"magic", Kind::kI64},
        {"blades", Kind::kI64},
        {"chassis", Kind::kI64},
        {"groups", Kind::kI64},
        {"memory_mode", Kind::kI64},
        {"cluster_mode", Kind::kI64},
        {"application", Kind::kU64}},
       router_fields()},
      {Module::kApmpi,
       magic_of("APMPI"),
       "darshan_apmpi",
       "darshan_apmpihd",
       {{"id", Kind::kU64},
        {"rank", Kind::kI64},
        {"magic", Kind::kI64},
        {"sync_timed", Kind::kU32},
        {"time_variance", Kind::kF64},
        {"sync_time_variance", Kind::kF64}},
       mpi().fields},
  };
  return kModules;
}

const AutoPerf* autoperf_of(Module module) {
  for (const AutoPerf& each : autoperf_modules()) {
    if (each.module == module) return &each;
  }
  return nullptr;
}

size_t bytes_of(std::span<const Field> fields) {
  size_t bytes = 0;
  for (const Field& field : fields) bytes += field.bytes;
  return bytes;
}

std::span<const MpiFunction> mpi_functions() { return mpi().functions; }

}  // namespace headrace::convert::darshan
