// Tells the thread sanitizer about Swift's Mutex, for .ci/sanitize to preload.
//
// A lock that nobody holds is taken by an atomic instruction within the caller, which the sanitizer sees. One that is
// held is waited for in libswiftSynchronization, where the kernel hands it over (futex(2), FUTEX_LOCK_PI), and which is
// not instrumented: what the lock guards would look like a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// The mangled names of `_MutexHandle`'s methods in the standard library.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT _Bool try_lock_slow(SELF void *mutex) __asm__(TRY);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    static SWIFT void (*next)(uint32_t, SELF void *);
    if (!next) next = (SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK);
    next(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT _Bool try_lock_slow(SELF void *mutex) {
    static SWIFT _Bool (*next)(SELF void *);
    if (!next) next = (SWIFT _Bool (*)(SELF void *))dlsym(RTLD_NEXT, TRY);
    _Bool is_locked = next(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
    static SWIFT void (*next)(SELF void *);
    if (!next) next = (SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    next(mutex);
}
