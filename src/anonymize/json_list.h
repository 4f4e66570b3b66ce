#pragma once
// Lists of texts as job logs have them in facts: JSON arrays of strings. Pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::anonymize {

/// The texts of a JSON array of strings (RFC 8259). Lone surrogates from dc80 to dcff are the bytes that are no UTF-8,
/// as Python has them; others are none. Nothing: the text is something else.
std::optional<std::vector<std::string>> parse_list(std::string_view json);

/// A JSON array of texts that need no escapes but for '"', '\\' and control characters.
std::string list_of(const std::vector<std::string>& texts);

}  // namespace headrace::anonymize
