// Two readers and a writer.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock;
static int value;

static void *reads(void *_) {
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    assert(seen == value);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main() {
    pthread_rwlock_init(&lock, 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, reads, 0);
    assert(pthread_rwlock_wrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    value = 1;
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
}
