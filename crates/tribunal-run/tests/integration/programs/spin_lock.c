// Spin locks.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int count;

static void *add(void *_) {
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return 0;
}

int main() {
    pthread_spin_init(&lock, 0);
    assert(pthread_spin_trylock(&lock) == 0);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    pthread_spin_unlock(&lock);
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(count == 2);
    pthread_spin_destroy(&lock);
}
