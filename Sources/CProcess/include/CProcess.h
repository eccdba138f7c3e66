#pragma once

// The arguments as the kernel passed them. Swift's CommandLine reads them from /proc, which may be missing.
int process_argument_count(void);
const char *process_argument(int index);

// Whether descriptor 0, 1, or 2 was closed when the process started.
int process_was_closed(int descriptor);
