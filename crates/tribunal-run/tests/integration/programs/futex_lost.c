// The flag is set after the wake-up.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_uint flag;

static void *give(void *_) {
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    atomic_store(&flag, 1);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (atomic_load(&flag) == 0) syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    pthread_join(thread, 0);
}
