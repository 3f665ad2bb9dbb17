// A semaphore for one of two.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t free_places;
static int inside;

static void *enter(void *_) {
    sem_wait(&free_places);
    inside++;
    assert(inside == 1);
    inside--;
    sem_post(&free_places);
    return 0;
}

int main() {
    sem_init(&free_places, 0, 1);
    pthread_t thread;
    pthread_create(&thread, 0, enter, 0);
    enter(0);
    pthread_join(thread, 0);
    int left;
    sem_getvalue(&free_places, &left);
    assert(left == 1);
    assert(sem_trywait(&free_places) == 0);
    assert(sem_trywait(&free_places) == -1 && errno == EAGAIN);
    struct timespec deadline = {0, 0};
    assert(sem_timedwait(&free_places, &deadline) == -1 && errno == ETIMEDOUT);
    sem_destroy(&free_places);
}
