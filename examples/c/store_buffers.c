/* A processor with store buffers that checks itself: every access goes to a monitor of total store order as it is made.
 *
 *   store_buffers [--bug forward|drain|fence] [--seed N] [--steps N]
 *
 * A core's writes wait in its buffer, first in first out, until they drain to memory; a read looks into the buffer of its own core
 * first; a fence waits until the buffer is empty. A bug breaks one of the three. Ends with 0 if the run is consistent with TSO, with 1
 * at the first access that is not, and with 2 if it could not be told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tribunal.h>

enum { CORES = 4, LOCATIONS = 3, DEPTH = 4 };

enum bug { NO_BUG, FORWARD, DRAIN, FENCE };

struct store {
    int location;
    uint64_t value;
};

struct core {
    struct store buffer[DEPTH]; /* The oldest first. */
    int waiting;
};

struct machine {
    struct core cores[CORES];
    uint64_t memory[LOCATIONS];
    uint64_t written; /* Every write writes another value, which tells reads apart. */
    uint64_t random;
    enum bug bug;
    tribunal_monitor *monitor;
};

static int below(struct machine *m, int limit) {
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (int)((m->random >> 33) % (uint64_t)limit);
}

static void drain(struct machine *m, struct core *core) {
    if (core->waiting == 0) return;
    int oldest = m->bug == DRAIN ? below(m, core->waiting) : 0;
    struct store store = core->buffer[oldest];
    m->memory[store.location] = store.value;
    core->waiting--;
    memmove(core->buffer + oldest, core->buffer + oldest + 1, (size_t)(core->waiting - oldest) * sizeof store);
}

static uint64_t load(const struct machine *m, const struct core *core, int location) {
    for (int i = core->waiting - 1; i >= 0 && m->bug != FORWARD; i--)
        if (core->buffer[i].location == location) return core->buffer[i].value;
    return m->memory[location];
}

/* One step of a core, or of the memory. */
static tribunal_status step(struct machine *m) {
    int number = below(m, CORES), location = below(m, LOCATIONS);
    struct core *core = &m->cores[number];
    tribunal_event event;
    switch (below(m, 8)) {
    case 0: case 1: case 2:
        drain(m, core);
        return TRIBUNAL_STATUS_OK;
    case 3:
        while (core->waiting > 0 && m->bug != FENCE) drain(m, core);
        event = tribunal_fence((tribunal_thread)number, TRIBUNAL_ORDER_SEQ_CST);
        break;
    case 4: case 5:
        if (core->waiting == DEPTH) drain(m, core);
        core->buffer[core->waiting++] = (struct store){location, ++m->written};
        event = tribunal_write((tribunal_thread)number, (tribunal_location)location, m->written, TRIBUNAL_ORDER_RELAXED);
        break;
    default:
        event = tribunal_read((tribunal_thread)number, (tribunal_location)location, load(m, core, location),
                              TRIBUNAL_ORDER_RELAXED);
    }
    return tribunal_monitor_push(m->monitor, event);
}

/* What the monitor calls at an access that TSO forbids. */
static void report(void *context, tribunal_monitor *monitor, const tribunal_violation *violation) {
    (void)context;
    printf("access %llu is not TSO: %s", (unsigned long long)violation->event, tribunal_monitor_explain(monitor));
}

static int failed(void) {
    fprintf(stderr, "store_buffers: %s\n", tribunal_last_error());
    return 2;
}

int main(int argc, char **argv) {
    struct machine m = {0};
    long steps = 20000;
    m.random = 1;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--seed") == 0) m.random = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--steps") == 0) steps = strtol(value, NULL, 10);
        else if (strcmp(argv[i], "--bug") == 0 && strcmp(value, "forward") == 0) m.bug = FORWARD;
        else if (strcmp(argv[i], "--bug") == 0 && strcmp(value, "drain") == 0) m.bug = DRAIN;
        else if (strcmp(argv[i], "--bug") == 0 && strcmp(value, "fence") == 0) m.bug = FENCE;
        else {
            fprintf(stderr, "usage: store_buffers [--bug forward|drain|fence] [--seed N] [--steps N]\n");
            return 2;
        }
    }
    if (tribunal_monitor_new("tso", 1000, NULL, report, NULL, &m.monitor) != TRIBUNAL_STATUS_OK) return failed();
    char name[16];
    for (int i = 0; i < CORES; i++) {
        snprintf(name, sizeof name, "core%d", i);
        tribunal_monitor_thread(m.monitor, name, NULL); /* Thread i, since they are numbered as they are made. */
    }
    for (int i = 0; i < LOCATIONS; i++) {
        snprintf(name, sizeof name, "x%d", i);
        tribunal_monitor_location(m.monitor, name, 0, NULL);
    }

    tribunal_status status = TRIBUNAL_STATUS_OK;
    for (long i = 0; i < steps && status == TRIBUNAL_STATUS_OK; i++) status = step(&m);
    if (status == TRIBUNAL_STATUS_OK) status = tribunal_monitor_finish(m.monitor);
    tribunal_unsettled unsettled = tribunal_monitor_unsettled(m.monitor);
    unsigned long long accesses = tribunal_monitor_events(m.monitor);
    tribunal_monitor_free(m.monitor);

    if (status == TRIBUNAL_STATUS_INCONSISTENT) return 1;
    if (status != TRIBUNAL_STATUS_OK) return failed();
    if (unsettled.ambiguous || unsettled.late || unsettled.events || unsettled.limited) {
        printf("%llu accesses, not all of them settled\n", accesses);
        return 2;
    }
    printf("%llu accesses, all of them TSO\n", accesses);
    return 0;
}
