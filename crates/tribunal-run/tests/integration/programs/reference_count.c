// The last owner of a block frees it: what the other did to the count happens before that, with a fence or without.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
    atomic_long owners, fenced;
};

static void release(struct shared *shared) {
    if (atomic_fetch_sub_explicit(&shared->fenced, 1, memory_order_release) == 1)
        atomic_thread_fence(memory_order_acquire);
    if (atomic_fetch_sub_explicit(&shared->owners, 1, memory_order_release) != 1)
        return;
    atomic_load_explicit(&shared->owners, memory_order_acquire);
    free(shared);
}

static void *owner(void *shared) {
    release(shared);
    return NULL;
}

int main(void) {
    struct shared *shared = malloc(sizeof *shared);
    pthread_t other;
    atomic_init(&shared->owners, 2);
    atomic_init(&shared->fenced, 2);
    pthread_create(&other, NULL, owner, shared);
    release(shared);
    pthread_join(other, NULL);
}
