// A lock that is held for good: whoever tries it for some time is told so.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *try(void *_) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 5;
    assert(pthread_mutex_timedlock(&mutex, &deadline) == ETIMEDOUT);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec >= deadline.tv_sec);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    assert(pthread_rwlock_timedrdlock(&lock, &deadline) == ETIMEDOUT);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    return 0;
}

int main() {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_t thread;
    pthread_create(&thread, 0, try, 0);
    pthread_join(thread, 0);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
}
