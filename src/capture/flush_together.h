// The setting by which ranks of a parallel program store their events together: "sync", "sync:N" or "sync:N:PERCENT".
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace headrace::capture {

struct FlushTogether {
  uint32_t every;  // as many collective operations; 0: never
  uint32_t percent;
};

/// Eight: a check costs about as much as a small collective operation, so at most an eighth more of what those cost.
/// Half: what the other half takes is more than most programs do between eight of them.
inline constexpr FlushTogether kUsualFlushTogether{8, 50};

/// False: the text is something else. Allocates nothing.
inline bool read_flush_together(const char* text, FlushTogether* to) {
  if (strncmp(text, "sync", 4) != 0) return false;
  FlushTogether read = kUsualFlushTogether;
  const char* at = text + 4;
  const auto number = [&at](uint32_t least, uint32_t most, uint32_t* value) {
    char* end = nullptr;
    const bool digits = at[0] == ':' && at[1] >= '0' && at[1] <= '9';
    const unsigned long found = digits ? strtoul(at + 1, &end, 10) : 0;
    if (!digits || found < least || found > most) return false;
    *value = static_cast<uint32_t>(found);
    at = end;
    return true;
  };
  if (*at == ':' && (!number(1, 1'000'000, &read.every) || (*at == ':' && !number(1, 100, &read.percent))))
    return false;
  if (*at != 0 && *at != '\n') return false;
  *to = read;
  return true;
}

}  // namespace headrace::capture
