// Tells the recorder how long calls waited for servers, and what for.
#pragma once
#include "forward/program/calls.h"

namespace headrace::forward::program {

/// From now on, of every answer. Before the first connection.
void tell_of_answers(const Recorder& recorder);

}  // namespace headrace::forward::program
