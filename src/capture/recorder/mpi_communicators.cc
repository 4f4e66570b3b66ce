#include "capture/recorder/mpi_communicators.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/kernel.h"
#include "capture/recorder/events.h"
#include "capture/recorder/handle_table.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/mpi_instances.h"
#include "capture/recorder/spool.h"

namespace headrace::capture::mpi {
namespace {

constinit HandleTable<Communicator, 512> communicators;
constinit HandleTable<Communicator, 64> windows;  // the groups of theirs
std::atomic<Handle> world_group;                  // kept until MPI ends; 0: not asked for yet

constexpr auto kAny = [](const Communicator&) { return true; };

/// A program may have communicators from sessions alone, and none of the world's. To ask about that would end it.
bool has_world(const Library& m) {
  int begun = 0, ended = 0;
  return m.initialized && m.finalized && m.initialized(&begun) == 0 && m.finalized(&ended) == 0 && begun && !ended;
}

bool can_ask(const Library& m) {
  return m.known && has_world(m) && m.comm_group && m.comm_remote_group && m.comm_test_inter && m.group_size &&
         m.group_rank && m.group_translate_ranks && m.group_free && m.comm_rank && m.comm_size;
}

Handle group_of_world(const Library& m) {
  Handle group = world_group.load(std::memory_order_acquire);
  if (group != 0) return group;
  if (m.comm_group(m.world, &group) != 0) return 0;
  Handle none = 0;
  if (world_group.compare_exchange_strong(none, group)) return group;
  m.group_free(&group);
  return none;
}

/// A group's ranks of the world, some at a time: fewer than a program's stack would notice.
template <typename Each>
bool for_members(const Library& m, Handle group, int size, Each each) {
  int ranks[64], of_world[64];
  const Handle world = group_of_world(m);
  for (int first = 0; first < size; first += 64) {
    const int count = size - first < 64 ? size - first : 64;
    for (int i = 0; i < count; ++i) ranks[i] = first + i;
    if (world == 0 || m.group_translate_ranks(group, count, ranks, world, of_world) != 0) return false;
    for (int i = 0; i < count; ++i) each(first + i, of_world[i] >= 0 ? static_cast<uint32_t>(of_world[i]) : kNobody);
  }
  return true;
}

struct Group {
  Handle handle = 0;
  int size = 0, rank = -1;
  uint64_t hash = 0;         // of its members
  uint32_t first = kNobody;  // rank of the world
  bool as_in_world = true;   // ranks are those of the world
  bool in_world = true;      // all are in it
};

bool look_at(const Library& m, Group& group) {
  if (m.group_size(group.handle, &group.size) != 0 || m.group_rank(group.handle, &group.rank) != 0) return false;
  return for_members(m, group.handle, group.size, [&](int rank, uint32_t of_world) {
    if (rank == 0) group.first = of_world;
    group.hash = base::mix(group.hash + static_cast<uint64_t>(rank), of_world);
    group.in_world = group.in_world && of_world != kNobody;
    group.as_in_world = group.as_in_world && of_world == static_cast<uint32_t>(rank);
  });
}

bool keep_members(const Library& m, const Group& group, Communicator& of) {
  of.peers = group.size;
  of.members = nullptr;
  of.mapped = 0;
  if (group.as_in_world) return true;
  const uint64_t bytes = static_cast<uint64_t>(group.size) * sizeof(uint32_t);
  auto* members = static_cast<uint32_t*>(base::map_anonymous(bytes));
  if (!members) return false;
  of.members = members;
  of.mapped = bytes;
  return for_members(m, group.handle, group.size, [&](int rank, uint32_t of_world) { members[rank] = of_world; });
}

struct Groups {
  Group own, other;
  bool inter = false;

  bool read(const Library& m, Handle comm) {
    int is_inter = 0;
    if (m.comm_test_inter(comm, &is_inter) != 0 || m.comm_group(comm, &own.handle) != 0) return false;
    inter = is_inter != 0;
    if (inter && m.comm_remote_group(comm, &other.handle) != 0) return false;
    return look_at(m, own) && (!inter || look_at(m, other));
  }
  bool read_window(const Library& m, Handle window) {
    return m.win_get_group && m.win_get_group(window, &own.handle) == 0 && look_at(m, own);
  }
  void release(const Library& m) {
    if (own.handle) m.group_free(&own.handle);
    if (other.handle) m.group_free(&other.handle);
  }
  bool is_of_all() const { return !inter && own.in_world && own.size == spool.header->ranks; }
  /// Both groups of an intercommunicator see the same.
  uint64_t hash() const { return inter ? own.hash + other.hash : own.hash; }
  uint32_t first() const { return inter && other.first < own.first ? other.first : own.first; }
};

void unmap(Communicator& communicator) {
  if (communicator.members) base::unmap(communicator.members, communicator.mapped);
  communicator.members = nullptr;
}

/// Puts one into a table under its handle.
template <typename Table, typename Read, typename Describe>
Communicator* add_to(Table& table, Handle handle, Read read, Describe describe) {
  const Library& m = found_library();
  Communicator* added = can_ask(m) ? table.take(handle) : nullptr;
  if (!added) return nullptr;
  Groups groups;
  bool whole = read(m, groups);
  if (whole) {
    added->references.store(1, std::memory_order_relaxed);
    added->number.store(0, std::memory_order_relaxed);
    added->rank = groups.own.rank;
    added->size = groups.own.size;
    added->inter = groups.inter;
    added->of_all = groups.is_of_all();
    whole = keep_members(m, groups.inter ? groups.other : groups.own, *added);
    if (whole) describe(*added, groups);
  }
  groups.release(m);
  if (whole) {
    table.publish(added, handle);
    return added;
  }
  unmap(*added);
  table.drop(added);
  return nullptr;
}

/// `like`: whose members it has.
template <typename Describe>
Communicator* add(Handle comm, Handle like, Describe describe) {
  return add_to(
      communicators, comm, [like](const Library& m, Groups& groups) { return groups.read(m, like); }, describe);
}

/// Ranks that were spawned have a world of their own, whose name they share with those who started them.
void describe_world(Communicator& world) {
  const Library& m = found_library();
  Handle parent = m.comm_null;
  const Launch launch = launch_of_environment();
  world.identity = base::hash_text("MPI_COMM_WORLD");
  snprintf(world.name, sizeof world.name, "MPI_COMM_WORLD");
  if (!m.comm_get_parent || m.comm_get_parent(&parent) != 0 || clean(m, parent) == m.comm_null) return;
  if (launch.known) world.identity = base::mix(world.identity, launch.id);
  snprintf(world.name, sizeof world.name, "MPI_COMM_WORLD of spawned ranks");
}

/// One that was there before, or was made in a way that is not followed.
Communicator* adopt(Handle comm) {
  const Library& m = found_library();
  return add(comm, comm, [&](Communicator& to, const Groups& groups) {
    if (comm == m.world) return describe_world(to);
    if (comm == m.self) {
      to.identity = base::hash_text("MPI_COMM_SELF");
      snprintf(to.name, sizeof to.name, "MPI_COMM_SELF");
      return;
    }
    to.identity = base::mix(base::hash_text("communicator"), groups.hash());
    snprintf(to.name, sizeof to.name, "communicator of %d ranks from %u", groups.own.size, groups.first());
  });
}

}  // namespace

Communicator* communicator_of(Handle comm) {
  comm = clean(found_library(), comm);
  Communicator* found = comm ? communicators.find(comm, kAny) : nullptr;
  return found || comm == 0 ? found : adopt(comm);
}

bool is_of_all(Handle comm) {
  if (const Communicator* known = communicator_of(comm)) return known->of_all;
  const Library& m = found_library();  // there is no room for it here, but there may be at other ranks
  Groups groups;
  int size = 0;
  const bool as_many = can_ask(m) && m.comm_size(comm, &size) == 0 && size == spool.header->ranks;
  const bool of_all = as_many && groups.read(m, comm) && groups.is_of_all();
  groups.release(m);
  return of_all;
}

uint32_t number_of(Communicator* communicator) {
  uint32_t number = communicator->number.load(std::memory_order_relaxed);
  if (HEADRACE_LIKELY(number != 0)) return number;
  char text[sizeof communicator->name + 20];
  const int length = snprintf(text, sizeof text, "%016lx %s", communicator->identity, communicator->name);
  number = name_for_events(text, static_cast<uint32_t>(length));
  communicator->number.store(number, std::memory_order_relaxed);
  return number;
}

void drop(Communicator* communicator) {
  if (communicator->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  unmap(*communicator);
  communicators.drop(communicator);
}

void communicator_made(const char* how, Handle parent, Handle made, bool all_members, int tag) {
  const Library& m = found_library();
  made = clean(m, made);
  if (made == m.comm_null || made == 0) return;
  communicator_freed(made);  // a handle that was freed unseen
  Communicator* of = parent ? communicator_of(parent) : nullptr;
  add(made, all_members ? parent : made, [&](Communicator& to, const Groups& groups) {
    uint64_t alike = base::mix(base::hash_text(how), of ? of->identity : 0);
    alike = base::mix(base::mix(alike, groups.hash()), static_cast<uint64_t>(tag));
    const uint32_t before = instances_before(alike);
    to.identity = base::mix(alike, before);
    const int ranks = groups.own.size + (groups.inter ? groups.other.size : 0);
    char which[16] = "";
    if (before > 0) snprintf(which, sizeof which, " #%u", before + 1);
    snprintf(to.name, sizeof to.name, "%s%s%s%.32s: %d %s", how, which, of ? " of " : "", of ? of->name : "", ranks,
             ranks == 1 ? "rank" : "ranks");
    const size_t length = strlen(to.name);
    if (groups.first() != kNobody) snprintf(to.name + length, sizeof to.name - length, " from %u", groups.first());
  });
}

uint32_t rank_in_window(Handle window, int rank) {
  window = clean(found_library(), window);
  const Communicator* group = window ? windows.find(window, kAny) : nullptr;
  if (!group && window)
    group = add_to(
        windows, window, [window](const Library& m, Groups& groups) { return groups.read_window(m, window); },
        [](Communicator&, const Groups&) {});
  return group ? world_rank(*group, rank) : kNobody;
}

void forget_window(Handle window) {
  window = clean(found_library(), window);
  // Threads that reached into it at the same time may each have put it there.
  while (Communicator* known = window ? windows.find(window, kAny) : nullptr) {
    unmap(*known);
    windows.drop(known);
  }
}

void communicator_named(Handle comm, const char* name) {
  Communicator* named = name ? communicator_of(comm) : nullptr;
  if (!named) return;
  snprintf(named->name, sizeof named->name, "%s", name);
  named->number.store(0, std::memory_order_relaxed);
}

void communicator_freed(Handle comm) {
  const Library& m = found_library();
  Communicator* freed = communicators.find(clean(m, comm), kAny);
  if (!freed) return;
  communicators.unlist(freed);
  drop(freed);
}

void forget_communicators() {
  Handle group = world_group.exchange(0);
  if (group != 0) found_library().group_free(&group);
}

}  // namespace headrace::capture::mpi
