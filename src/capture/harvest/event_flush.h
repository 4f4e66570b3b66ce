// Stores what is in a process's file of events while the process waits (flush_layout.h): the work of a flusher.
#pragma once
#include <string>

namespace headrace::capture {

/// `path`: absolute, of the file of events. 0: done, which the file and the account beside it say. Else the file says
/// why not, if it can.
int flush_event_file(const std::string& path);

}  // namespace headrace::capture
