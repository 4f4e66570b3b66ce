// Which loaded object (program, library, plug-in) an address lies in, without the loader's lock.
//
// glibc's _dl_find_object (2.35, and 2.34 of distributions that carry it) takes no lock and may be called in signal
// handlers. Where it is missing, the objects that were there at start are known and no later one.
#pragma once
#include <cstdint>

namespace headrace::capture {

struct LoadedObject {
  uintptr_t start, end;  // of all its segments
  uintptr_t bias;        // address = bias + the file's own virtual address
  const void* unwind;    // its .eh_frame_hdr; null when it has none
  const void* map;       // the loader's entry
  const char* name;      // as the loader has it; "" for the program itself
};

/// Finds how to look. Called by the library's constructor, with the loader's lock held.
void prepare_objects();
/// False: the address lies in no object (machine code made at run time, or garbage). Async-signal-safe.
bool find_object(uintptr_t address, LoadedObject* out);
/// Whether it was there at start and hence stays to the end.
bool is_permanent(const LoadedObject& object);

struct BuildId {
  const unsigned char* bytes;  // in the object's memory; null when it has none
  uint32_t length;
};
/// The GNU build id, from the object's notes in memory.
BuildId build_id_of(const LoadedObject& object);

/// A word that another object, loaded to the same place later, is unlikely to share.
uint64_t identity_of(const LoadedObject& object, const BuildId& id);

}  // namespace headrace::capture
