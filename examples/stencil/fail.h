// What cannot be gone on with.
#pragma once

// Says it, with the rank, and ends all ranks. Format as printf's, without a line end.
_Noreturn void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
