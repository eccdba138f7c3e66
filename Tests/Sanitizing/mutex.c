// Reports Swift's Mutex to the thread sanitizer; .ci/sanitize preloads it.
//
// An atomic instruction in the caller acquires a free lock, which the sanitizer sees. The wait for a held lock is in
// libswiftSynchronization, where the kernel hands the lock over (futex(2), FUTEX_LOCK_PI). That library is not
// instrumented, so without this file, guarded accesses would be reported as a race.
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
