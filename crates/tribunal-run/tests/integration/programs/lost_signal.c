// The signal is sent without regard to whether somebody waits.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *give(void *_) {
    pthread_cond_signal(&condition);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
