// libxml2 refers to these weakly, so that a static program gets only those that other code uses, and ends when libxml2
// calls one of the rest: the C library does not contain them as a whole.
#include <pthread.h>

typedef void (*function)(void);

__attribute__((used, retain)) static const function required[] = {
    (function)pthread_cond_broadcast, (function)pthread_cond_destroy, (function)pthread_cond_init,
    (function)pthread_cond_signal,    (function)pthread_cond_wait,    (function)pthread_equal,
};
