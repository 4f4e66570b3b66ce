// What threads are called, for the trace: by the system, where that is not what it calls the whole process.
//
// Looked at when a thread takes a block for its events and when it ends, and once more when the process ends: the
// program is not slowed down for names.
#pragma once

namespace headrace::capture {

/// What its threads are called now is the name of the process. Before there are several.
void begin_thread_names();
/// Notes what the calling thread is called now, unless the trace has it. Inside a section, without the lock.
void note_thread_name();
/// The same of all threads that are still there, if it has several: the process ends.
void note_thread_names();

}  // namespace headrace::capture
