// Values of a key are destroyed when their threads end.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static int destroyed;

static void destroy(void *value) {
    assert(*(int *)value == 7);
    free(value);
    destroyed++;
}

static void *use(void *_) {
    int *value = malloc(sizeof *value);
    *value = 7;
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, value);
    return 0;
}

int main() {
    pthread_key_create(&key, destroy);
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    pthread_join(thread, 0);
    assert(destroyed == 1);
    pthread_key_delete(key);
}
