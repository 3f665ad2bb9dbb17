// Executions in which the other has not stored yet do not count; atomic sections exclude each other.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

void __VERIFIER_assume(bool);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);

static atomic_int flag;
static int count;

static void add() {
    __VERIFIER_atomic_begin();
    count++;
    __VERIFIER_atomic_end();
}

static void *give(void *_) {
    add();
    atomic_store(&flag, 1);
    return 0;
}

int main() {
    int number = __VERIFIER_nondet_int();
    assert(number >= 0);
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    add();
    __VERIFIER_assume(atomic_load(&flag) == 1);
    if (__VERIFIER_nondet_bool()) assert(count == 2);
    pthread_join(thread, 0);
}
