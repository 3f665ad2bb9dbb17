// Nobody signals: the wait times out, and the clock says so.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;

int main() {
    pthread_cond_init(&condition, 0);
    struct timespec deadline, now;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    pthread_mutex_lock(&mutex);
    int rounds = 0;
    do {
        int status = pthread_cond_timedwait(&condition, &mutex, &deadline);
        assert(status == ETIMEDOUT);
        rounds++;
        clock_gettime(CLOCK_REALTIME, &now);
    } while (now.tv_sec < deadline.tv_sec);
    assert(rounds == 1);
    assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &deadline) == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}
