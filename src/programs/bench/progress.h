// A bar on a terminal, for what takes longer than a moment.
#pragma once
#include <cstdio>

namespace headrace::programs {

inline void show_progress(const char* name, double share) {
  constexpr int kWidth = 40;
  char bar[kWidth + 1];
  for (int i = 0; i < kWidth; ++i) bar[i] = i < share * kWidth ? '#' : '.';
  bar[kWidth] = '\0';
  fprintf(stderr, "\r%-8s [%s] %3.0f %%", name, bar, share * 100);
}
inline void end_progress() { fprintf(stderr, "\r%60s\r", ""); }

}  // namespace headrace::programs
