// The note in a static program by which recorders tell that they may hand it what lets programs be captured: it
// captures itself, or hands that on to what it becomes. They read it in capture/recorder/target.cc.
#pragma once

#define HEADRACE_STATIC_NOTE                        \
  __asm__(                                          \
      ".pushsection .note.headrace, \"a\", @note\n" \
      ".balign 4\n"                                 \
      ".long 9, 4, 1\n"                             \
      ".asciz \"Headrace\"\n"                       \
      ".balign 4\n"                                 \
      ".long 1\n"                                   \
      ".popsection\n")
