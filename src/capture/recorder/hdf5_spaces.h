// What is selected in the program's dataspaces, and the sizes of its types, remembered between calls: asking HDF5 takes
// 0.3 µs a question, and a small write takes 1.
//
// Every function that changes a dataspace or a type's size is intercepted and forgets it. Nothing waits: an entry that
// another thread is using is not there, and what cannot be forgotten makes all entries old.
#pragma once
#include "capture/recorder/hdf5.h"

namespace headrace::capture::hdf5 {

struct Selection {
  uint64_t points;
  bool in_pieces;  // of its dataspace, by rows
};

/// What a dataspace has selected; false: HDF5 does not say.
bool selection_of(const Library& m, Id space, Selection* selection);
uint64_t size_of_type(const Library& m, Id type);
bool can_ask(const Api& ask);

}  // namespace headrace::capture::hdf5
