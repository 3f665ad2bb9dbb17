// A block is copied while another thread fills it.
#include <pthread.h>
#include <string.h>

char from[64], to[64];
static volatile size_t size = 64;

static void *copy(void *_) {
    memcpy(to, from, size);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    memset(from, 1, size);
    pthread_join(thread, 0);
}
