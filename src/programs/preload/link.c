// Nothing: see CMakeLists.txt. ISO C wants a declaration.
typedef int headrace_nothing;
