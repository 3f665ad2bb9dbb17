// Mutexes of all kinds, initialized statically and by attributes.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int count;

static void *add(void *_) {
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    count++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    return 0;
}

int main() {
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_trylock(&checking) == EBUSY);
    assert(pthread_mutex_unlock(&checking) == 0);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_t local;
    pthread_mutex_init(&local, &attributes);
    assert(pthread_mutex_lock(&local) == 0 && pthread_mutex_trylock(&local) == 0);
    assert(pthread_mutex_unlock(&local) == 0 && pthread_mutex_unlock(&local) == 0);
    assert(pthread_mutex_unlock(&local) == EPERM);
    assert(pthread_mutex_destroy(&local) == 0);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(count == 2);
}
