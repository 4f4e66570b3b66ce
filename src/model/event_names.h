#pragma once
// What kinds of events and classes of time are called, in tables and outside.

#include <array>
#include <string_view>

#include "model/event.h"

namespace headrace::model {

inline constexpr std::array<std::string_view, kEventKinds> kEventKindNames{"enter", "leave",   "io_begin",   "io_end",
                                                                           "send",  "receive", "collective", "counter"};

inline constexpr std::array<std::string_view, kTimeClasses> kTimeClassNames{
    "program", "messages", "collective", "wait", "read", "write", "metadata", "tracing"};

constexpr std::string_view name_of(EventKind kind) { return kEventKindNames[static_cast<unsigned>(kind)]; }
constexpr std::string_view name_of(TimeClass time_class) { return kTimeClassNames[static_cast<unsigned>(time_class)]; }

}  // namespace headrace::model
