// Two threads meet twice; one of them is told that it came last.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int written[2];

static void *meet(void *own) {
    int me = (long)own;
    written[me] = 1;
    long last = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    assert(written[1 - me] == 1);
    pthread_barrier_wait(&barrier);
    written[me] = 2;
    return (void *)last;
}

int main() {
    pthread_barrier_init(&barrier, 0, 2);
    pthread_t thread;
    void *other;
    pthread_create(&thread, 0, meet, (void *)1);
    void *own = meet((void *)0);
    pthread_join(thread, &other);
    assert((long)own + (long)other == 1);
    pthread_barrier_destroy(&barrier);
}
