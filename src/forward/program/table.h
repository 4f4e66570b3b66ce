// The program's descriptors that are forwarded files. Thread-safe; found whole after fork.
#pragma once
#include "forward/program/calls.h"
#include "forward/program/description.h"

namespace headrace::forward::program {

/// Before the first call. False: no memory for it.
bool prepare_table();
/// What the process has inherited, once places are known.
void find_inherited();
Table table();

/// What a descriptor means, for one call; null when it is not forwarded (any more).
class Held {
 public:
  explicit Held(int fd);
  ~Held();
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  explicit operator bool() const { return description_ != nullptr; }
  Description* operator->() const { return description_; }
  Description& operator*() const { return *description_; }

 private:
  Description* description_;
};

/// From now on `fd` means it, or nothing of ours if it is null.
void set_descriptor(int fd, Description* description);
/// The same for one that has come from another process.
void adopt_descriptor(int fd);
/// The lowest number from `first` to `last` that is forwarded; -1 when there is none.
int next_number(unsigned first, unsigned last);
/// Whether no other number means what `fd` does.
bool is_last_number(int fd);
/// Takes it out of the table; whether it was the last of its file. It has to fit.
bool drop_number(int fd);
/// The same for all from `first` to `last`.
void forget_descriptors(unsigned first, unsigned last);
/// `copy` means what `fd` means.
void copy_descriptor(int fd, int copy);
/// Whether the table has room for this number.
bool fits_table(int fd);

}  // namespace headrace::forward::program
