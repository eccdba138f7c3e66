#pragma once

#include <sodium.h>

// Random numbers from ChaCha20, with a key of the system's: a call of the system for each record costs more than its encryption.
// Before sodium_init.
static inline void sodium_use_internal_random(void) {
    randombytes_set_implementation(&randombytes_internal_implementation);
}
