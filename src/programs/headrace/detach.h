// A child of the launcher that goes on without it.
#pragma once

namespace headrace::programs {

/// In a child just forked: a session of its own, signals as they are by default but SIGHUP, no descriptor but `kept`,
/// standard streams that lead nowhere, and the root directory.
void detach(int kept);

}  // namespace headrace::programs
