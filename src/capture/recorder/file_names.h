// Names that files lose and get, and what becomes of their records: a record is of one file, under one of its names.
#pragma once
#include "capture/recorder/calls.h"

namespace headrace::capture {

/// The name of a record was taken away (unlink). Inside a section, with a reference.
void leave_name(uint32_t record);

/// By which events name the second path of a call, seen from its first one. Inside a section.
uint32_t handle_of_other(const PathName& first, const OtherPath& other);

/// rename and its kin. `exchanged`: both names stay, and each file has the other's.
void renamed(Fn function, int from_directory, const char* from, int to_directory, const char* to, bool ok,
             bool exchanged, Timed time);

/// link and linkat; `flags` as of linkat. Preserves errno.
void linked(Fn function, int from_directory, const char* from, int to_directory, const char* to, int flags, bool ok,
            Timed time);

/// The name that a record's file had last; the text lies in the spool. Inside a section, with a reference.
PathName last_name(uint32_t record);

}  // namespace headrace::capture
