// What is done once is done before either goes on.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void initialize() { value++; }

static void *use(void *_) {
    pthread_once(&once, initialize);
    assert(value == 1);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, use, 0);
    use(0);
    pthread_join(thread, 0);
}
