#include <pthread.h>

static void *run(void *_) { return 0; }

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
}
