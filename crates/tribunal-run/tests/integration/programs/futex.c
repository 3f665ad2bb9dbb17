// A flag is waited for by the system call itself.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint flag;
static int value;

static void *give(void *_) {
    value = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    return 0;
}

int main() {
    struct timespec time = {1, 0};
    assert(syscall(SYS_futex, &flag, FUTEX_WAIT, 3, 0, 0, 0) == -1 && errno == EAGAIN);
    assert(syscall(SYS_futex, &flag, FUTEX_WAIT, 0, &time, 0, 0) == -1 && errno == ETIMEDOUT);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (atomic_load_explicit(&flag, memory_order_acquire) == 0)
        syscall(SYS_futex, &flag, FUTEX_WAIT_BITSET_PRIVATE, 0, 0, 0, FUTEX_BITSET_MATCH_ANY);
    assert(value == 1);
    pthread_join(thread, 0);
}
