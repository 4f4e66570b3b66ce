#pragma once

namespace headrace::capture {

/// Whether the running program was made by the Go compiler, which notes its build in every program. Before main.
bool is_go_program();

}  // namespace headrace::capture
