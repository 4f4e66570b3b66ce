#pragma once
// The texts that are the same on every machine, and so say nothing of a job: they are kept as they are.
//
// Constants only; safe in any thread. docs/anonymize.md lists them for those who decide whether to pass a log on.

#include <string_view>

namespace headrace::anonymize {

/// Directories and devices that every system has, as whole paths: "/", "/dev/shm", "/usr/lib", …
bool is_system_path(std::string_view path);

/// Endings of names that tell what is in a file: ".h5", ".log", …
bool is_common_suffix(std::string_view suffix);

/// Names of standard streams and of what has none: "<stdout>", "<pipe>", …
bool is_placeholder(std::string_view name);

/// Types of file systems.
bool is_file_system(std::string_view type);

/// Mount options without a value: "rw", "noatime", …
bool is_mount_flag(std::string_view option);
/// Mount options whose value, when it is a number, is about how the file system works: "rsize", …
bool is_mount_number(std::string_view option);

/// Words of the sentences that Headrace itself writes into logs, in lower case.
bool is_own_word(std::string_view word);

/// Hints that the MPI standard and its implementations define, without "hint_asked." before them: "cb_nodes", …
bool is_hint(std::string_view key);

/// Values of properties that are the same everywhere: "enable", "chunked", …
bool is_property_word(std::string_view word);

}  // namespace headrace::anonymize
