// A ring buffer for one producer and one consumer. With -DORDER=memory_order_relaxed its elements race.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef ORDER
#define ORDER memory_order_release
#endif

enum { SIZE = 2, COUNT = 3 };

static struct {
    int slots[SIZE];
    atomic_uint head; // the consumer's
    atomic_uint tail; // the producer's
} ring;

static void *produce(void *unused) {
    for (unsigned i = 0; i < COUNT; i++) {
        while (i - atomic_load_explicit(&ring.head, memory_order_acquire) == SIZE)
            sched_yield();
        ring.slots[i % SIZE] = 10 + (int)i;
        atomic_store_explicit(&ring.tail, i + 1, ORDER);
    }
    return unused;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        while (atomic_load_explicit(&ring.tail, memory_order_acquire) == i)
            sched_yield();
        assert(ring.slots[i % SIZE] == 10 + (int)i);
        atomic_store_explicit(&ring.head, i + 1, memory_order_release);
    }
    return pthread_join(producer, NULL);
}
