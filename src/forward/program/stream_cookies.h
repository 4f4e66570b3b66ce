// What is behind a stream on a forwarded descriptor, and which streams are of this kind. Thread-safe.
#pragma once
#include <stdio.h>

#include "forward/program/ahead.h"

namespace headrace::forward::program {

struct Cookie {
  int fd;
  Ahead ahead;
  FILE* stream = nullptr;
  Cookie* next = nullptr;
};

void enlist(Cookie* cookie, FILE* stream);
void strike_out(const Cookie* cookie);
/// Null: the stream is of another kind.
Cookie* cookie_of(const FILE* stream);

/// The flags of open(2) that a mode of fopen(3) means; negative with errno set where it means none.
int flags_of_mode(const char* mode);

}  // namespace headrace::forward::program
