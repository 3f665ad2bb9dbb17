// Names, handles, attributes and numbers of threads, and attempts to join them.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void *run(void *_) {
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
    assert(pthread_attr_getstack(&attributes, &stack, &size) == 0);
    pthread_attr_destroy(&attributes);
    char *here = (char *)&stack;
    assert((char *)stack < here && here < (char *)stack + size);
    assert(pthread_equal(pthread_self(), pthread_self()));
    assert(gettid() == getpid() + 1);
    return (void *)3;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    assert(pthread_setname_np(thread, "a worker") == 0);
    char name[16];
    assert(pthread_getname_np(thread, name, sizeof name) == 0 && strcmp(name, "a worker") == 0);
    assert(pthread_kill(thread, 0) == 0);
    void *result = 0;
    int tries = 0;
    while (pthread_tryjoin_np(thread, &result) == EBUSY) tries++;
    assert(tries <= 1 && result == (void *)3);
    assert(gettid() == getpid());
}
