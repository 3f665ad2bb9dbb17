// A reader writes.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writes(void *_) {
    pthread_rwlock_rdlock(&lock);
    value++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    writes(0);
    pthread_join(thread, 0);
}
