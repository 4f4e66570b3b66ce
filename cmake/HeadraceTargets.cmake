# The functions that the CMakeLists.txt of every folder is written with.

# headrace_add_folders(<root> <folder>…)
# Adds <root>/<folder> and <root>/<folder>/<part> wherever one has a CMakeLists.txt, so that no folder adds another.
function(headrace_add_folders root)
  foreach(folder IN LISTS ARGN)
    file(GLOB lists CONFIGURE_DEPENDS LIST_DIRECTORIES false RELATIVE ${PROJECT_SOURCE_DIR}
         ${root}/${folder}/CMakeLists.txt ${root}/${folder}/*/CMakeLists.txt)
    foreach(file IN LISTS lists)
      cmake_path(GET file PARENT_PATH path)
      if(path STREQUAL "src/bindings" AND NOT HEADRACE_BINDINGS)
        continue()
      endif()
      if(path STREQUAL "src/programs/preload" AND NOT HEADRACE_INJECTED)
        continue()
      endif()
      add_subdirectory(${path})
    endforeach()
  endforeach()
endfunction()

# headrace_parse_once(<target> <header>…)
# Precompiles these headers for the target; targets that say target_precompile_headers(… REUSE_FROM <target>) and are
# compiled with the same options share them.
function(headrace_parse_once name)
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Precompiled headers belong to a target, and a target needs a source.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE headrace_options)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# headrace_library(headrace_<folder> SOURCES file.cc… [LIBS target…] [OWN_OPTIONS])
# A static, position-independent library with hidden symbols; header-only when there are no sources.
# OWN_OPTIONS: compiled otherwise than the rest, so it cannot share precompiled headers.
function(headrace_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_OPTIONS" "" "SOURCES;LIBS")
  list(APPEND arg_SOURCES ${arg_UNPARSED_ARGUMENTS})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # Options stay private to the folder: the Python module links these libraries but needs exceptions itself.
    target_link_libraries(${name} PRIVATE headrace_options PUBLIC ${arg_LIBS})
    # Behind precompiled headers GCC 12 takes the standard library's own code for ours, and warns of it when it optimises.
    if(HEADRACE_UNITY AND NOT arg_OWN_OPTIONS AND (HEADRACE_SANITIZE OR NOT HEADRACE_WERROR))
      if(NOT TARGET headrace_standard_headers)
        headrace_parse_once(headrace_standard_headers <algorithm> <array> <functional> <map> <memory> <optional> <span>
                            <string> <string_view> <unordered_map> <vector>)
        set_target_properties(headrace_standard_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
      endif()
      target_precompile_headers(${name} REUSE_FROM headrace_standard_headers)
    endif()
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LIBS})
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  endif()
endfunction()

# Not for all: a compiler's cache could not give the objects of one checkout to another.
function(headrace_reads_sources)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_DEFINITIONS HEADRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()

function(headrace_test_options name)
  target_link_libraries(${name} PRIVATE headrace_options ${ARGN} GTest::gtest GTest::gtest_main Threads::Threads)
  # Optimising all checks of a test takes longer than the tests do. What they test is compiled as it is shipped.
  target_compile_options(${name} PRIVATE -O0)
endfunction()

# headrace_test(<name> file_test.cc… [LIBS target…] [THREADS] [OWN_OPTIONS] [TIMEOUT seconds])
# A GoogleTest program whose tests are registered one by one. THREADS: it exercises shared state from several threads,
# and is therefore also run under the thread sanitizer; a thread-sanitizer build holds those tests alone.
# OWN_OPTIONS: as above. headrace_reads_sources(file_test.cc…) defines HEADRACE_SOURCE_DIR for those that need it.
function(headrace_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS;OWN_OPTIONS" "TIMEOUT" "SOURCES;LIBS")
  if(NOT HEADRACE_TESTS OR (HEADRACE_SANITIZE MATCHES thread AND NOT arg_THREADS))
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  # GoogleTest's headers cost more than most tests do.
  if(NOT TARGET headrace_test_headers)
    headrace_parse_once(headrace_test_headers <gtest/gtest.h> <algorithm> <filesystem> <map> <string> <vector>)
    headrace_test_options(headrace_test_headers)
  endif()
  add_executable(${name} ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
  headrace_test_options(${name} ${arg_LIBS})
  if(NOT arg_OWN_OPTIONS)
    target_precompile_headers(${name} REUSE_FROM headrace_test_headers)
  endif()
  add_dependencies(headrace_tests ${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()

# headrace_fuzzer(<name> file.cc… [LIBS target…])
# A libFuzzer target, built by `make fuzz` alone. Its seeds, if any, are the files of fuzz/corpus/<name>/.
function(headrace_fuzzer name)
  if(NOT HEADRACE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE headrace_options ${arg_LIBS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
  if(NOT TARGET headrace_fuzzers)
    add_custom_target(headrace_fuzzers COMMENT "Fuzzers and what they are linked with")
  endif()
  add_dependencies(headrace_fuzzers ${name})
endfunction()

# headrace_link_runtime(<target>)
# Links the C++ runtime into a program or library, so that it runs on machines that have an older one, or an older C library.
function(headrace_link_runtime name)
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  target_link_libraries(${name} PRIVATE headrace_older_libc)
endfunction()

function(headrace_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE headrace_options ${arg_LIBS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  if(NOT HEADRACE_SANITIZE AND NOT HEADRACE_FUZZ)
    headrace_link_runtime(${name})
  endif()
endfunction()

# headrace_program(<name> SOURCES file.cc… [LIBS target…])
# A native command.
function(headrace_program name)
  headrace_executable(${name} ${ARGN})
  headrace_install_program(${name})
endfunction()

# headrace_inner_program(<word> SOURCES file.cc… [LIBS target…])
# headrace-<word>, what `headrace <word>` becomes: a program of its own, since that command is linked statically. It is
# beside the libraries, where nobody takes it for a command.
function(headrace_inner_program word)
  set(name headrace_${word})
  headrace_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME headrace-${word}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/headrace)
  if(SKBUILD)
    install(TARGETS ${name} RUNTIME DESTINATION ${SKBUILD_DATA_DIR}/lib/headrace)
  else()
    install(TARGETS ${name} RUNTIME DESTINATION lib/headrace)
  endif()
endfunction()

# headrace_install_program(<target>): to .venv/bin, or <prefix>/bin; in a build tree, <build>/bin.
function(headrace_install_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(SKBUILD)
    install(TARGETS ${target} RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR})
  else()
    install(TARGETS ${target} RUNTIME DESTINATION bin)
  endif()
endfunction()

# headrace_install_preload(<target>): to lib/headrace/ beside that bin, where the command looks for it, also in a
# build tree: <build>/bin/headrace finds <build>/lib/headrace/libheadrace.so.
function(headrace_install_preload target)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/headrace)
  if(SKBUILD)
    install(TARGETS ${target} LIBRARY DESTINATION ${SKBUILD_DATA_DIR}/lib/headrace)
  else()
    install(TARGETS ${target} LIBRARY DESTINATION lib/headrace)
  endif()
endfunction()
