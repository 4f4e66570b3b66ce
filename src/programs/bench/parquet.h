// Figures as Parquet: the Python package writes it.
#pragma once
#include <string>

#include "base/result.h"

namespace headrace::programs {

/// kInvalid, if `file` could not be written: there is no such directory, or it is not for this user.
base::Status check_parquet(const std::string& file);

/// Gives `json`, a run's figures, to `headrace bench parquet`, which writes `file`; what captures or emulates this
/// process leaves that one alone. Only when MPI is over: it starts a process. kIo: it failed, and has said why.
base::Status write_parquet(const std::string& json, const std::string& file);

}  // namespace headrace::programs
