// What is annotated does not race.
#include <pthread.h>

void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateIgnoreReadsBegin(const char *, int);
void AnnotateIgnoreReadsEnd(const char *, int);
int RunningOnValgrind(void);

static int value, other;

static void *give(void *_) {
    value = 1;
    other = 1;
    AnnotateHappensBefore(__FILE__, __LINE__, &value);
    return 0;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    int early = other;
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    AnnotateHappensAfter(__FILE__, __LINE__, &value);
    int seen = value;
    pthread_join(thread, 0);
    return RunningOnValgrind() || early > 1 || seen != 1;
}
