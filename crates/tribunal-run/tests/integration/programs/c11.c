// Threads of C11.
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, made, destroyed;

static void make() { made++; }
static void destroy(void *value) {
    free(value);
    destroyed++;
}

static int give(void *argument) {
    call_once(&once, make);
    tss_set(key, malloc(4));
    mtx_lock(&mutex);
    ready = *(int *)argument;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    if (ready) thrd_exit(5);
    return 4;
}

int main() {
    int value = 1, result;
    assert(mtx_init(&mutex, mtx_timed | mtx_recursive) == thrd_success);
    cnd_init(&condition);
    tss_create(&key, destroy);
    thrd_t thread;
    assert(thrd_create(&thread, give, &value) == thrd_success);
    assert(!thrd_equal(thread, thrd_current()));
    call_once(&once, make);
    mtx_lock(&mutex);
    assert(mtx_trylock(&mutex) == thrd_success);
    mtx_unlock(&mutex);
    while (!ready) cnd_wait(&condition, &mutex);
    struct timespec deadline = {0, 0};
    assert(cnd_timedwait(&condition, &mutex, &deadline) == thrd_timedout);
    mtx_unlock(&mutex);
    thrd_join(thread, &result);
    assert(result == 5 && made == 1 && destroyed == 1);
    struct timespec moment = {0, 1000};
    thrd_sleep(&moment, 0);
    mtx_destroy(&mutex);
    cnd_destroy(&condition);
    tss_delete(key);
}
