// A loop that is said to wait.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

void __VERIFIER_loop_begin(void);
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end(bool);

static atomic_int flag;

static void *give(void *_) {
    atomic_store(&flag, 1);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    __VERIFIER_loop_begin();
    for (bool done = false; !done;) {
        __VERIFIER_spin_start();
        done = atomic_load(&flag);
        __VERIFIER_spin_end(done);
    }
    pthread_join(thread, 0);
}
