# headrace-static.o: the wrappers for programs that are linked statically, and static.options, the linker's options that
# put them in place. One list, functions.def, less what the machine's libc.a has not or must keep for itself.

execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libc.a OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${libc}" OR NOT EXISTS "${libc}")
  message(STATUS "No libc.a: static programs cannot be linked with capture")
  return()
endif()
execute_process(COMMAND ${CMAKE_NM} --format=posix ${libc} OUTPUT_VARIABLE symbols ERROR_QUIET)
string(REGEX MATCHALL "(^|\n)[A-Za-z_0-9]+ [TWiV] " defined "${symbols}")
list(TRANSFORM defined REPLACE "^\n?([A-Za-z_0-9]+) .*" "\\1")
string(REGEX MATCHALL "(^|\n)_[A-Za-z_0-9]+ U " internal "${symbols}")
list(TRANSFORM internal REPLACE "^\n?([A-Za-z_0-9]+) .*" "\\1")
# What the C library calls by an internal name is its own business, as in a dynamic program. These two also stand in
# programs: the compiler inlines putc_unlocked and getc_unlocked (static_hooks.h). And _exit ends the process.
list(REMOVE_ITEM internal __overflow __uflow _exit)
# A C library that is built fortified, as Debian 13's is, calls what fortified programs do: those names are public.
list(FILTER internal EXCLUDE REGEX "_chk$")
set(left_out
  # They call another wrapped function inside, which counts: one count a call.
  __readlinkat_chk lchmod forkpty
  # They ask the user database, for which a static program has to load libraries: the linker warns of every program.
  glob glob64 wordexp
  # The linker warns of every program that has them.
  tmpnam tempnam mktemp gets __gets_chk)

file(STRINGS ${PROJECT_SOURCE_DIR}/src/intercept/functions.def rows
     REGEX "^(UNDECLARED_|SPECIAL_)?(FUNCTION|SPECIAL|UNDECLARED|ALIAS)\\(")
set(options "")
set(functions "")
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z_0-9]+),.*" "\\1" symbol "${row}")
  if(symbol IN_LIST defined AND NOT symbol IN_LIST internal AND NOT symbol IN_LIST left_out)
    string(APPEND options "--wrap=${symbol}\n")
    if(NOT row MATCHES "ALIAS")
      string(APPEND functions " STATIC_FUNCTION(${symbol})")
    endif()
  endif()
endforeach()
# GCC's run-time libraries (of Fortran and C++) call these by weak references as soon as a program has pthread_key_create,
# which capture brings in; an archive gives a weak reference nothing, so the call would be one of address 0.
foreach(symbol sched_yield pthread_once pthread_create pthread_join pthread_detach pthread_cancel pthread_equal pthread_self
        pthread_key_delete pthread_getspecific pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock
        pthread_mutex_timedlock pthread_mutex_unlock pthread_mutexattr_init pthread_mutexattr_settype pthread_mutexattr_destroy
        pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast)
  if(symbol IN_LIST defined)
    string(APPEND options "--undefined=${symbol}\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/static_functions.h CONTENT "#define HEADRACE_STATIC_FUNCTIONS@functions@\n" @ONLY)
set(directory ${PROJECT_BINARY_DIR}/lib/headrace)
file(CONFIGURE OUTPUT ${directory}/static.options CONTENT "${options}" @ONLY)

add_library(headrace_static OBJECT phases.cc preload.cc regions.cc static_real.cc system_calls.cc ${entry})
set_target_properties(headrace_static PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
target_link_libraries(headrace_static PRIVATE headrace_options)
target_include_directories(headrace_static PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_compile_options(headrace_static PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ftls-model=initial-exec -U_FORTIFY_SOURCE>
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
target_compile_definitions(headrace_static PRIVATE HEADRACE_STATIC $<$<COMPILE_LANGUAGE:CXX>:__NO_INLINE__>)
# One object without other global names than those of phases and regions, so that none can meet one of the program's.
add_custom_command(OUTPUT ${directory}/headrace-static.o
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${directory}/headrace-static.o $<TARGET_OBJECTS:headrace_static>
          $<TARGET_FILE:headrace_recorder> $<TARGET_FILE:headrace_intercept> $<TARGET_FILE:headrace_base>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=__wrap_*
          --keep-global-symbol=headrace_phase_begin --keep-global-symbol=headrace_phase_end
          --keep-global-symbol=headrace_trace_recorder --strip-debug ${directory}/headrace-static.o
  DEPENDS headrace_static headrace_recorder headrace_intercept headrace_base $<TARGET_OBJECTS:headrace_static>
  COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(headrace_static_object ALL DEPENDS ${directory}/headrace-static.o)
if(SKBUILD)
  set(place ${SKBUILD_DATA_DIR}/lib/headrace)
else()
  set(place lib/headrace)
endif()
install(FILES ${directory}/headrace-static.o ${directory}/static.options DESTINATION ${place})
