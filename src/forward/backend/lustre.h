// The striping of a new file where the file system is Lustre, as its user interface has it (lustre_user.h of
// Lustre 2.x: struct lov_user_md_v1, LL_IOC_LOV_SETSTRIPE, O_LOV_DELAY_CREATE); needs none of its libraries.
#pragma once
#include <fcntl.h>

#include <array>
#include <cstdint>
#include <optional>

#include "forward/protocol/messages.h"

namespace headrace::forward {

/// Opening with these makes a file that has no objects yet, so that its layout can still be chosen. On other files both
/// mean nothing (LU-4209). Earlier versions had a bit of their own, which openat2 refuses.
inline constexpr int kLustreDelayCreate = O_NOCTTY | O_ASYNC;

using LustreLayout = std::array<uint8_t, 32>;

/// What the file system is asked for; nothing where the hints say nothing that it takes.
std::optional<LustreLayout> lustre_layout(const Hints& hints);

/// Whether `fd` is a file there.
bool is_lustre(int fd);

/// Of a file that was opened with kLustreDelayCreate and made by that. An error number, or 0.
int set_lustre_layout(int fd, LustreLayout layout);

}  // namespace headrace::forward
