// One process image from its start to its end: configuration, spool, fork, exit.
#pragma once
#include <cstdint>

#include "capture/recorder/state.h"

namespace headrace::capture {

/// Reads the configuration, makes the spool, and hides what the launcher added to the environment. Called by the
/// library's constructor; an earlier call of an intercepted function does the first part.
void start_image(int argument_count, char** arguments);

struct Settings;
/// What was read at the start.
const Settings& settings_in_force();

/// The program is about to end with this status through exit, _exit or quick_exit. Other threads may still run.
void end_image(int status);
/// An exec is about to replace the image; `undo` when it failed and the image goes on.
void replace_image();
void keep_image();

/// In a child that was forked by a handler which interrupted a section: the section may go on there. What it then
/// writes must not reach the parent's spool, and the child gets a spool of its own only once the section is over.
void forked_inside_section(ThreadBlock* interrupted);
/// A ring of io_uring whose operations cannot be seen.
void note_io_uring();
/// Asynchronous operations whose submission or completion was not seen.
void lose_operations(uint64_t number);
/// Operations of a ring with equal user_data may stand at each other's files.
void note_unsure_operations(uint32_t number);

}  // namespace headrace::capture
