// How a file on Lustre is striped, from the extended attribute "lustre.lov" that the client gives.
//
// The bytes are those of `lov_user_md_v1`, `lov_user_md_v3`, `lov_comp_md_v1` and `lov_foreign_md` in Lustre's
// include/uapi/linux/lustre/lustre_user.h (git.whamcloud.com, fs/lustre-release; read at 2.17). They come from a kernel
// that may be of any version, or from whoever mounted a file system: nothing in them is believed before it is checked.
//
// Plain values without I/O; safe in any thread.
#pragma once
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "model/file_record.h"

namespace headrace::capture {

/// Properties as the import of Darshan logs writes them: of a plain layout "lustre.stripe_size", "lustre.stripe_count",
/// "lustre.pool"; of one with several components the same of each, as "lustre.component2.stripe_size", with its part of
/// the file (`extent_start`, `extent_end`, a number or "eof"), `mirror` and `osts`; of both "lustre.osts": the object
/// servers' indices, each once. What is not plain striping has a `pattern`. kTruncated, kCorrupt, kUnsupported: the
/// bytes are no layout that this knows.
base::Result<std::vector<model::Property>> lustre_properties(base::Bytes value);

}  // namespace headrace::capture
