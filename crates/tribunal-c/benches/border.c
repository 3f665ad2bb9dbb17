/* The loops of border.rs, from C: what is printed is the nanoseconds of a call. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tribunal.h>

enum { THREADS = 4, LOCATIONS = 4, STEPS = 64, WARM = 200000 };

static const tribunal_order RELEASE = TRIBUNAL_ORDER_RELEASE, ACQUIRE = TRIBUNAL_ORDER_ACQUIRE;

static void must(tribunal_status status) {
    if (status == TRIBUNAL_STATUS_OK) return;
    fprintf(stderr, "border: %d: %s\n", (int)status, tribunal_last_error());
    exit(2);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Writes and reads, going back after each round; with candidates before each read if asked for. */
static double session(const char *model, int candidates, long rounds) {
    tribunal_session *s;
    must(tribunal_session_new(model, &s));
    for (int i = 0; i < THREADS; i++) must(tribunal_session_thread(s, NULL));
    for (int i = 0; i < LOCATIONS; i++) must(tribunal_session_location(s, NULL));
    long calls = 0;
    double begin = now();
    for (long round = 0; round < rounds; round++) {
        tribunal_mark mark;
        must(tribunal_session_mark(s, &mark));
        for (uint32_t step = 0; step < STEPS; step++) {
            tribunal_write_id write, found[64];
            size_t count;
            uint32_t thread = step % THREADS, location = step / THREADS % LOCATIONS, reader = (thread + 1) % THREADS;
            must(tribunal_session_write(s, thread, location, RELEASE, &write));
            if (candidates) must(tribunal_session_candidates(s, reader, location, ACQUIRE, found, 64, &count));
            must(tribunal_session_read(s, reader, write, ACQUIRE));
        }
        must(tribunal_session_undo(s, mark));
        calls += 2 + STEPS * (candidates ? 3 : 2);
    }
    double took = now() - begin;
    tribunal_session_free(s);
    return took / (double)calls;
}

/* Writes, each of which the next thread reads, in a monitor that has run for a while; the quickest of the runs. */
static double monitor(const char *model, long events, long runs) {
    tribunal_monitor *m;
    must(tribunal_monitor_new(model, 100, NULL, NULL, NULL, &m));
    for (int i = 0; i < THREADS; i++) {
        char name[2] = {(char)('a' + i), 0};
        must(tribunal_monitor_thread(m, name, NULL));
        must(tribunal_monitor_location(m, name, 0, NULL));
    }
    double best = -1;
    uint64_t value = 0;
    for (long run = -1; run < runs; run++) {
        long pairs = (run < 0 ? WARM : events) / 2;
        double begin = now();
        for (long i = 0; i < pairs; i++) {
            value++;
            uint32_t thread = (uint32_t)(value % THREADS), location = (uint32_t)(value / THREADS % LOCATIONS);
            must(tribunal_monitor_push(m, tribunal_write(thread, location, value, RELEASE)));
            must(tribunal_monitor_push(m, tribunal_read((thread + 1) % THREADS, location, value, ACQUIRE)));
        }
        double took = (now() - begin) / (double)events;
        if (run >= 0 && (best < 0 || took < best)) best = took;
    }
    tribunal_monitor_free(m);
    return best;
}

/* The least that a call can do: which location is a write of? */
static double lookup(const char *model, long calls) {
    tribunal_session *s;
    tribunal_location location, found;
    tribunal_write_id write;
    uint64_t sum = 0;
    must(tribunal_session_new(model, &s));
    must(tribunal_session_location(s, &location));
    must(tribunal_session_initial(s, location, &write));
    double begin = now();
    for (long call = 0; call < calls; call++) {
        must(tribunal_session_location_of(s, write, &found));
        sum += found;
    }
    double took = now() - begin;
    tribunal_session_free(s);
    return sum == 0 ? took / (double)calls : -1;
}

/* border lookup|session|candidates|monitor MODEL COUNT RUNS: the quickest of the runs. */
int main(int argc, char **argv) {
    if (argc != 5) return 2;
    const char *name = argv[1], *model = argv[2];
    long count = strtol(argv[3], NULL, 10), runs = strtol(argv[4], NULL, 10);
    double best = -1;
    if (strcmp(name, "monitor") == 0) {
        best = monitor(model, count, runs);
        runs = 0;
    }
    for (long run = 0; run < runs; run++) {
        double took = strcmp(name, "lookup") == 0 ? lookup(model, count)
                                                  : session(model, strcmp(name, "candidates") == 0, count);
        if (best < 0 || took < best) best = took;
    }
    printf("%.2f\n", best);
    return 0;
}
