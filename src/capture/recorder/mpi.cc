#include "capture/recorder/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/recorder/launch.h"
#include "capture/recorder/mpi_clocks.h"
#include "capture/recorder/mpi_finalize.h"
#include "intercept/caller.h"

namespace headrace::capture::mpi {

__thread uintptr_t frame;

namespace {

Library present;
std::atomic<uint32_t> state_of_search{0};  // 1: under way, 2: done

bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

void set_mpich(Library& m) {
  m.world = 0x44000000;
  m.self = 0x44000001;
  m.comm_null = 0x04000000;
  m.info_null = 0x1c000000;
  m.byte_type = 0x4c00010d;
  m.bitwise_or = 0x58000008;
  m.errors_return = 0x54000001;
  m.in_place = reinterpret_cast<const void*>(~uintptr_t{0});
  m.status_ignore = reinterpret_cast<const void*>(1);
  m.graph = 1;
  m.cart = 2;
  m.dist_graph = 3;
  m.proc_null = -1;
  m.status_bytes = 20;
  m.status_source = 8;
  m.narrow = m.known = true;
}

void set_open_mpi(Library& m, const void* caller) {
  const auto constant = [&](const char* name) {
    return reinterpret_cast<Handle>(intercept::variable_beyond(name, caller));
  };
  m.world = constant("ompi_mpi_comm_world");
  m.self = constant("ompi_mpi_comm_self");
  m.comm_null = constant("ompi_mpi_comm_null");
  m.info_null = constant("ompi_mpi_info_null");
  m.byte_type = constant("ompi_mpi_byte");
  m.bitwise_or = constant("ompi_mpi_op_bor");
  m.errors_return = constant("ompi_mpi_errors_return");
  m.in_place = reinterpret_cast<const void*>(1);
  m.status_ignore = nullptr;
  m.cart = 1;
  m.graph = 2;
  m.dist_graph = 3;
  m.proc_null = -2;
  m.status_bytes = 24;
  m.known = m.world != 0 && m.info_null != 0;
}

/// The binary interface that MPI 5.0 standardises (chapter 20).
void set_standard(Library& m) {
  m.world = 0x101;
  m.self = 0x102;
  m.comm_null = 0x100;
  m.info_null = 0x130;
  m.byte_type = 0x247;
  m.bitwise_or = 0x29;
  m.errors_return = 0x143;
  m.in_place = reinterpret_cast<const void*>(1);
  m.status_ignore = nullptr;
  m.cart = 211;
  m.graph = 212;
  m.dist_graph = 213;
  m.proc_null = -2;
  m.status_bytes = 32;
  m.known = true;
}

void identify(Library& m, const void* caller) {
  int (*get_version)(char*, int*) = nullptr;
  intercept::find_beyond(&get_version, "PMPI_Get_library_version", caller);
  static HEADRACE_LARGE char text[8192];  // MPI_MAX_LIBRARY_VERSION_STRING of the largest
  int length = 0;
  m.code = reinterpret_cast<const void*>(get_version);
  if (!get_version || get_version(text, &length) != 0) return;
  snprintf(m.name, sizeof m.name, "%.*s", static_cast<int>(strcspn(text, ",\n")), text);
  Dl_info info;
  const bool standard = dladdr(reinterpret_cast<void*>(get_version), &info) != 0 && info.dli_fname != nullptr &&
                        strstr(info.dli_fname, "libmpi_abi.so") != nullptr;
  if (standard)
    set_standard(m);
  else if (begins(text, "Open MPI"))
    set_open_mpi(m, caller);
  else if (begins(text, "MPICH") || begins(text, "MVAPICH") || begins(text, "Intel(R) MPI") ||
           begins(text, "CRAY MPICH"))
    set_mpich(m);
}

void search(const void* caller) {
  Library& m = present;
  intercept::find_beyond(&m.type_size, "PMPI_Type_size", caller);
  intercept::find_beyond(&m.type_get_extent, "PMPI_Type_get_extent", caller);
  intercept::find_beyond(&m.get_count, "PMPI_Get_count", caller);
  intercept::find_beyond(&m.comm_rank, "PMPI_Comm_rank", caller);
  intercept::find_beyond(&m.comm_size, "PMPI_Comm_size", caller);
  intercept::find_beyond(&m.comm_remote_size, "PMPI_Comm_remote_size", caller);
  intercept::find_beyond(&m.file_get_byte_offset, "PMPI_File_get_byte_offset", caller);
  intercept::find_beyond(&m.file_get_position, "PMPI_File_get_position", caller);
  intercept::find_beyond(&m.file_get_info, "PMPI_File_get_info", caller);
  intercept::find_beyond(&m.info_get_nkeys, "PMPI_Info_get_nkeys", caller);
  intercept::find_beyond(&m.info_get_nthkey, "PMPI_Info_get_nthkey", caller);
  intercept::find_beyond(&m.info_get, "PMPI_Info_get", caller);
  intercept::find_beyond(&m.info_free, "PMPI_Info_free", caller);
  intercept::find_beyond(&m.topo_test, "PMPI_Topo_test", caller);
  intercept::find_beyond(&m.cartdim_get, "PMPI_Cartdim_get", caller);
  intercept::find_beyond(&m.cart_shift, "PMPI_Cart_shift", caller);
  intercept::find_beyond(&m.graph_neighbors_count, "PMPI_Graph_neighbors_count", caller);
  intercept::find_beyond(&m.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count", caller);
  intercept::find_beyond(&m.comm_group, "PMPI_Comm_group", caller);
  intercept::find_beyond(&m.comm_remote_group, "PMPI_Comm_remote_group", caller);
  intercept::find_beyond(&m.comm_test_inter, "PMPI_Comm_test_inter", caller);
  intercept::find_beyond(&m.comm_get_parent, "PMPI_Comm_get_parent", caller);
  intercept::find_beyond(&m.query_thread, "PMPI_Query_thread", caller);
  intercept::find_beyond(&m.initialized, "PMPI_Initialized", caller);
  intercept::find_beyond(&m.finalized, "PMPI_Finalized", caller);
  intercept::find_beyond(&m.group_size, "PMPI_Group_size", caller);
  intercept::find_beyond(&m.group_rank, "PMPI_Group_rank", caller);
  intercept::find_beyond(&m.group_translate_ranks, "PMPI_Group_translate_ranks", caller);
  intercept::find_beyond(&m.group_free, "PMPI_Group_free", caller);
  intercept::find_beyond(&m.win_get_group, "PMPI_Win_get_group", caller);
  intercept::find_beyond(&m.get_elements, "PMPI_Get_elements_x", caller);
  intercept::find_beyond(&m.test_cancelled, "PMPI_Test_cancelled", caller);
  identify(m, caller);
}

}  // namespace

const Library& library(const void* caller) {
  uint32_t expected = 0;
  if (HEADRACE_LIKELY(state_of_search.load(std::memory_order_acquire) == 2)) return present;
  if (state_of_search.compare_exchange_strong(expected, 1)) {
    search(caller);
    state_of_search.store(2, std::memory_order_release);
  }
  while (state_of_search.load(std::memory_order_acquire) != 2) usleep(50);
  return present;
}

const Library& found_library() { return present; }

bool in_pieces(const Library& m, Handle type) {
  int size = 0;
  int64_t start = 0, extent = 0;
  if (!m.type_size || !m.type_get_extent) return false;
  if (m.type_size(type, &size) != 0 || m.type_get_extent(type, &start, &extent) != 0) return false;
  return size != extent;
}

void keep_hints(const Library& m, const LibraryObject* object, const char* prefix, Handle info) {
  int keys = 0;
  if (!m.known || !m.info_get_nkeys || !m.info_get_nthkey || !m.info_get || clean(m, info) == m.info_null) return;
  if (m.info_get_nkeys(info, &keys) != 0) return;
  for (int i = 0; i < keys && i < 64; ++i) {
    char key[300] = "", value[1025] = "", name[340];  // MPI_MAX_INFO_KEY is 256 at most, MPI_MAX_INFO_VAL 1024
    int there = 0;
    if (m.info_get_nthkey(info, i, key) != 0 || m.info_get(info, key, 256, value, &there) != 0 || !there) continue;
    snprintf(name, sizeof name, "%s.%s", prefix, key);
    library_property(object, name, value);
  }
}

void note_rank(const Library& m) {
  int rank = -1, ranks = 0;
  if (!m.known || !m.comm_rank || !m.comm_size) return;
  if (m.comm_rank(m.world, &rank) != 0 || m.comm_size(m.world, &ranks) != 0) return;
  Handle parent = m.comm_null;
  const bool spawned = m.comm_get_parent && m.comm_get_parent(&parent) == 0 && clean(m, parent) != m.comm_null;
  set_rank(rank, ranks, launch_of_environment().id, spawned);
  expect_finalize();
  measure_clocks(m, kClockAtStart);
}

}  // namespace headrace::capture::mpi
