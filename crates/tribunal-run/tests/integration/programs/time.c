// Time passes the same way in every execution, and with sleep; numbers are the same, too.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag;

static void *give(void *_) {
    usleep(100);
    atomic_store(&flag, 1);
    return 0;
}

int main() {
    time_t start = time(0);
    struct timespec before, after, half = {0, 500000000};
    struct timeval day;
    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&half, 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &half, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(after.tv_sec > before.tv_sec);
    sleep(10);
    assert(time(0) - start >= 11);
    gettimeofday(&day, 0);
    assert(day.tv_sec >= start);
    assert(clock() >= 11000000);
    unsigned char random[4];
    assert(getrandom(random, 4, 0) == 4);
    srand(5);
    int number = rand();
    srand(5);
    assert(number == rand());
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    while (!atomic_load(&flag)) sleep(1);
    // What is random is the same in every execution, so that all take the same path.
    if (random[0] & 1) atomic_load(&flag);
    pthread_join(thread, 0);
}
