// Code that runs once in each process, before its main.
#pragma once

/// Together with all such code: each page of code that is met for the first time costs a short process a fault, so what
/// is scattered over a large library costs many.
#define HEADRACE_AT_START __attribute__((cold, section(".text.startup.headrace")))
