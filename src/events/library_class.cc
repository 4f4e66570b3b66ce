#include "events/library_class.h"

#include <algorithm>
#include <initializer_list>

namespace headrace::events {

using model::TimeClass;

namespace {

bool has_one_of(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

/// Functions that are named like collective ones and ask or tell this rank's own library alone.
bool is_local(std::string_view name) {
  return has_one_of(name,
                    {"ancel",          "omm_rank",    "omm_size",  "omm_get",    "omm_set", "omm_compare", "omm_group",
                     "omm_remote",     "omm_test",    "omm_call",  "_keyval",    "_attr",   "omm_f2c",     "omm_c2f",
                     "art_coords",     "art_rank",    "art_get",   "art_shift",  "art_map", "raph_get",    "raph_map",
                     "raph_neighbors", "Initialized", "Finalized", "educe_local"});
}

}  // namespace

TimeClass library_class(std::string_view layer, std::string_view name) {
  if (layer == "mpi") {
    const bool together = has_one_of(name, {"llreduce", "lltoall", "llgather", "arrier", "cast", "educe", "ather",
                                            "catter", "can", "Comm_", "comm_", "Cart_", "raph_create", "Win_create",
                                            "Win_allocate", "Win_fence", "Win_free", "Init", "Finalize"}) &&
                          !is_local(name);
    return together ? TimeClass::kCollective : TimeClass::kMessages;
  }
  if (has_one_of(name, {"read", "Read", "_get_var", "_get_att", "_iget"})) return TimeClass::kRead;
  if (has_one_of(name, {"write", "Write", "_put_var", "_put_att", "_iput", "_bput"})) return TimeClass::kWrite;
  return TimeClass::kMetadata;
}

}  // namespace headrace::events
