// What the kernel laid out for the program: arguments, environment and auxiliary vector, one behind the other.
#pragma once

namespace headrace::capture {

/// Takes the entries that `keep` refuses out of the environment: out of the array behind the arguments and, where that
/// is another one, out of `environ`. Whoever walks over the end of either still finds the auxiliary vector there, if it
/// was there before. `keep` may change an entry's text, and is asked twice where both arrays have it. Before main;
/// other threads may read both arrays meanwhile.
void take_out(int argument_count, char** arguments, bool (*keep)(char* entry));

}  // namespace headrace::capture
