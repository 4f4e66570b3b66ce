# headrace_options: how every native file but the Python module is compiled.
add_library(headrace_options INTERFACE)
target_include_directories(headrace_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(headrace_options INTERFACE HEADRACE_VERSION="${PROJECT_VERSION}" _GNU_SOURCE)
target_compile_options(headrace_options INTERFACE
  # No exceptions and no RTTI: the code runs inside processes that may bring their own C++ runtime, and an exception
  # must never cross a wrapper of a C function.
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>
  -fvisibility=hidden
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  -Wall -Wextra -Wvla
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(HEADRACE_UNITY)
  # It warns of headers that name what is anonymous; here every file is included by another.
  target_compile_options(headrace_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  # GCC 12 warns of overlapping copies in `"text" + string` (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(headrace_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
endif()
if(HEADRACE_WERROR)
  target_compile_options(headrace_options INTERFACE -Werror)
endif()

set(_sanitizers "${HEADRACE_SANITIZE}")
if(HEADRACE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "HEADRACE_FUZZ needs clang: configure with CC=clang CXX=clang++ (`make fuzz` does)")
  endif()
  set(_sanitizers "address,undefined")
  target_compile_options(headrace_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(_sanitizers)
  # Fuzzers run for long; the tests do not, and with all checks a compiler optimises longer than they take.
  set(_optimised $<IF:$<BOOL:${HEADRACE_FUZZ}>,-O1,-O0>)
  target_compile_options(headrace_options INTERFACE
    -fsanitize=${_sanitizers} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer
    ${_optimised} -g1 -UNDEBUG)
  target_link_options(headrace_options INTERFACE -fsanitize=${_sanitizers})
  # A sanitizer's runtime cannot live in a library that is preloaded into other programs, nor in an interpreter.
  set(HEADRACE_BINDINGS OFF)
  set(HEADRACE_INJECTED OFF)
else()
  set(HEADRACE_INJECTED ON)
endif()
