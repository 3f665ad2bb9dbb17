// A thread that is made before main cannot be explored.
#include <pthread.h>

static pthread_t early;

static void *nothing(void *unused) { return unused; }

__attribute__((constructor)) static void make(void) { pthread_create(&early, 0, nothing, 0); }

int main(void) { return pthread_join(early, 0); }
