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

# headrace_library(headrace_<folder> SOURCES file.cc… [LIBS target…])
# A static, position-independent library with hidden symbols; header-only when there are no sources.
function(headrace_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  list(APPEND arg_SOURCES ${arg_UNPARSED_ARGUMENTS})
  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    # Options stay private to the folder: the Python module links these libraries but needs exceptions itself.
    target_link_libraries(${name} PRIVATE headrace_options PUBLIC ${arg_LIBS})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_LIBS})
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  endif()
endfunction()

# headrace_test(<name> file_test.cc… [LIBS target…] [THREADS] [TIMEOUT seconds])
# A GoogleTest program whose tests are registered one by one. THREADS: it exercises shared state from several threads,
# and is therefore also run under the thread sanitizer; a thread-sanitizer build holds those tests alone.
# HEADRACE_SOURCE_DIR is defined for test data.
function(headrace_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "TIMEOUT" "SOURCES;LIBS")
  if(NOT HEADRACE_TESTS OR (HEADRACE_SANITIZE MATCHES thread AND NOT arg_THREADS))
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE headrace_options ${arg_LIBS} GTest::gtest GTest::gtest_main Threads::Threads)
  target_compile_definitions(${name} PRIVATE HEADRACE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
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
endfunction()

# headrace_program(<name> SOURCES file.cc… [LIBS target…])
# A native command. The C++ runtime is linked in, so that the command runs on machines that have an older one.
function(headrace_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE headrace_options ${arg_LIBS})
  if(NOT HEADRACE_SANITIZE AND NOT HEADRACE_FUZZ)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  headrace_install_program(${name})
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
