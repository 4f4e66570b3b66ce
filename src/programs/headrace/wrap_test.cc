#include "programs/headrace/wrap.h"

#include <gtest/gtest.h>

namespace headrace::programs {
namespace {

using Words = std::vector<std::string>;

Words changed(const Words& words) { return wrapped(words, "-la -lb", "s.o"); }

TEST(Wrap, ProgramsAreLinkedWithTheFlagsFirst) {
  EXPECT_EQ(changed({"cc", "a.c", "-lhdf5"}), (Words{"cc", "-la", "-lb", "a.c", "-lhdf5"}));
  EXPECT_EQ(changed({"mpicc", "-o", "a", "a.o"}), (Words{"mpicc", "-la", "-lb", "-o", "a", "a.o"}));
  EXPECT_EQ(changed({"cc", "-static", "a.c"}), (Words{"cc", "s.o", "-static", "a.c"}));
  EXPECT_EQ(changed({"cc", "-x", "c", "-"}), (Words{"cc", "-la", "-lb", "-x", "c", "-"}));
}

TEST(Wrap, EverythingElseIsLeftAlone) {
  for (const Words& words : std::vector<Words>{{"cc", "-c", "a.c"},
                                               {"cc", "-shared", "-o", "a.so", "a.o"},
                                               {"cc", "-E", "a.c"},
                                               {"cc", "--version"},
                                               {"cc", "-v"},
                                               {"cc", "-o", "a"},
                                               {"cc", "-print-file-name=libc.a"},
                                               {"mpicc", "-show", "a.c"},
                                               {"mpicc", "--showme:link"},
                                               {"cc"}}) {
    EXPECT_EQ(changed(words), words) << words.back();
  }
}

}  // namespace
}  // namespace headrace::programs
