// Attributes of forwarded files as the C library's calls have them.
#pragma once
#include <sys/stat.h>

#include "forward/protocol/messages.h"

namespace headrace::forward::program {

void fill(const Attributes& from, dev_t device, struct stat* into);
void fill(const Attributes& from, dev_t device, struct statx* into);
/// Whether this process may do what `mode` says (R_OK, W_OK, X_OK), by the permissions: 0 or EACCES.
int check_access(const Attributes& of, int mode);
/// What setattr takes of times: a pair of accessed and modified, null is now. The bits of what to set.
uint32_t times_to_set(const timespec* times, Attributes* into);
/// The process's umask, which a server is not asked to know.
mode_t current_umask();

}  // namespace headrace::forward::program
