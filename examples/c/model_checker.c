/* A stateless model checker in a page: it tries every interleaving and every write that a read may read from, and collects what
 * programs can end with under several models.
 *
 * The session says which writes a read may read from; to try another, the checker goes back to a mark. Classic litmus tests are held to what
 * is known of them: ends with 1 if one differs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tribunal.h>

enum { THREADS = 4, LENGTH = 4, LOCATIONS = 2, REGISTERS = 4, CANDIDATES = 16, OUTCOMES = 256, WRITES = 32 };

enum { RLX = TRIBUNAL_ORDER_RELAXED, ACQ = TRIBUNAL_ORDER_ACQUIRE, REL = TRIBUNAL_ORDER_RELEASE, SC = TRIBUNAL_ORDER_SEQ_CST };

enum code { END, STORE, LOAD, ADD, BARRIER };

/* STORE: value to location. LOAD: location to the register `value`. ADD: 1 to location, what it was to the register. */
struct instruction {
    enum code code;
    int location, value, order;
};

enum model { M_SC, M_TSO, M_PSO, M_RA, M_RC20, M_RELAXED, MODELS };
static const char *const names[MODELS] = {"sc", "tso", "pso", "ra", "rc20", "relaxed"};

struct program {
    const char *name;
    struct instruction threads[THREADS][LENGTH];
    int outcome[REGISTERS]; /* The one that tells models apart, */
    bool allowed[MODELS];   /* and which of them allow it. */
};

enum { X, Y };

static const struct program programs[] = {
    {"SB", {{{STORE, X, 1, RLX}, {LOAD, Y, 0, RLX}}, {{STORE, Y, 1, RLX}, {LOAD, X, 1, RLX}}},
     {0, 0}, {false, true, true, true, true, true}},
    {"SB+sc", {{{STORE, X, 1, SC}, {LOAD, Y, 0, SC}}, {{STORE, Y, 1, SC}, {LOAD, X, 1, SC}}},
     {0, 0}, {false, true, true, true, false, true}},
    {"SB+fences", {{{STORE, X, 1, RLX}, {BARRIER, 0, 0, SC}, {LOAD, Y, 0, RLX}}, {{STORE, Y, 1, RLX}, {BARRIER, 0, 0, SC}, {LOAD, X, 1, RLX}}},
     {0, 0}, {false, false, false, true, false, true}},
    {"MP", {{{STORE, X, 1, RLX}, {STORE, Y, 1, RLX}}, {{LOAD, Y, 0, RLX}, {LOAD, X, 1, RLX}}},
     {1, 0}, {false, false, true, false, true, true}},
    {"MP+rel+acq", {{{STORE, X, 1, RLX}, {STORE, Y, 1, REL}}, {{LOAD, Y, 0, ACQ}, {LOAD, X, 1, RLX}}},
     {1, 0}, {false, false, true, false, false, true}},
    {"LB", {{{LOAD, X, 0, RLX}, {STORE, Y, 1, RLX}}, {{LOAD, Y, 1, RLX}, {STORE, X, 1, RLX}}},
     {1, 1}, {false, false, false, false, false, false}},
    {"IRIW", {{{STORE, X, 1, RLX}}, {{STORE, Y, 1, RLX}}, {{LOAD, X, 0, ACQ}, {LOAD, Y, 1, ACQ}}, {{LOAD, Y, 2, ACQ}, {LOAD, X, 3, ACQ}}},
     {1, 0, 1, 0}, {false, false, false, true, true, true}},
    {"CoRR", {{{STORE, X, 1, RLX}}, {{LOAD, X, 0, RLX}, {LOAD, X, 1, RLX}}},
     {1, 0}, {false, false, false, false, false, false}},
    {"INC", {{{ADD, X, 0, RLX}}, {{ADD, X, 1, RLX}}},
     {0, 0}, {false, false, false, false, false, false}},
};

struct search {
    const struct program *program;
    tribunal_session *session;
    int next[THREADS];
    int values[WRITES]; /* What writes wrote, by the lower half of their ids. */
    int registers[REGISTERS];
    int outcomes[OUTCOMES][REGISTERS];
    int found;
};

/* Nothing here fails but by a mistake in this file. */
static void must(tribunal_status status) {
    if (status == TRIBUNAL_STATUS_OK) return;
    fprintf(stderr, "model_checker: %d: %s\n", (int)status, tribunal_last_error());
    exit(2);
}

static int *value_of(struct search *s, tribunal_write_id write) {
    uint32_t index = (uint32_t)write;
    if (index >= WRITES) {
        fprintf(stderr, "model_checker: too many writes\n");
        exit(2);
    }
    return &s->values[index];
}

static void note_outcome(struct search *s) {
    for (int i = 0; i < s->found; i++)
        if (memcmp(s->outcomes[i], s->registers, sizeof s->registers) == 0) return;
    if (s->found < OUTCOMES) memcpy(s->outcomes[s->found++], s->registers, sizeof s->registers);
}

static void explore(struct search *s);

/* The thread's next instruction, with everything that may come of it. */
static void advance(struct search *s, tribunal_thread thread, tribunal_mark before) {
    const struct instruction *i = &s->program->threads[thread][s->next[thread]];
    tribunal_location location = (tribunal_location)i->location;
    tribunal_order order = (tribunal_order)i->order;
    tribunal_write_id candidates[CANDIDATES], written;
    size_t count = 1;
    if (i->code == LOAD) must(tribunal_session_candidates(s->session, thread, location, order, candidates, CANDIDATES, &count));
    if (i->code == ADD) must(tribunal_session_rmw_candidates(s->session, thread, location, order, candidates, CANDIDATES, &count));
    for (size_t c = 0; c < count && c < CANDIDATES; c++) {
        switch (i->code) {
        case STORE:
            must(tribunal_session_write(s->session, thread, location, order, &written));
            *value_of(s, written) = i->value;
            break;
        case LOAD:
            s->registers[i->value] = *value_of(s, candidates[c]);
            must(tribunal_session_read(s->session, thread, candidates[c], order));
            break;
        case ADD:
            s->registers[i->value] = *value_of(s, candidates[c]);
            must(tribunal_session_rmw(s->session, thread, candidates[c], order, &written));
            *value_of(s, written) = s->registers[i->value] + 1;
            break;
        case BARRIER:
            must(tribunal_session_fence(s->session, thread, order));
            break;
        case END:
            return;
        }
        s->next[thread]++;
        explore(s);
        s->next[thread]--;
        must(tribunal_session_undo(s->session, before));
    }
}

static void explore(struct search *s) {
    bool ended = true;
    tribunal_mark mark;
    must(tribunal_session_mark(s->session, &mark));
    for (tribunal_thread thread = 0; thread < THREADS; thread++) {
        if (s->next[thread] == LENGTH || s->program->threads[thread][s->next[thread]].code == END) continue;
        ended = false;
        advance(s, thread, mark);
    }
    if (ended) note_outcome(s);
}

/* Whether the program may end with its outcome. */
static bool allows(const struct program *program, const char *model, int *outcomes) {
    struct search s = {.program = program};
    must(tribunal_session_exact(model, &s.session));
    for (int i = 0; i < THREADS; i++) must(tribunal_session_thread(s.session, NULL));
    for (int i = 0; i < LOCATIONS; i++) {
        tribunal_location location;
        tribunal_write_id initial;
        must(tribunal_session_location(s.session, &location));
        must(tribunal_session_initial(s.session, location, &initial));
        *value_of(&s, initial) = 0;
    }
    explore(&s);
    tribunal_session_free(s.session);
    *outcomes = s.found;
    for (int i = 0; i < s.found; i++)
        if (memcmp(s.outcomes[i], program->outcome, sizeof s.registers) == 0) return true;
    return false;
}

int main(void) {
    bool right = true;
    printf("whether the weak outcome is allowed, of how many that are\n%-12s", "");
    for (int m = 0; m < MODELS; m++) printf("%-10s", names[m]);
    printf("\n");
    for (size_t p = 0; p < sizeof programs / sizeof *programs; p++) {
        printf("%-12s", programs[p].name);
        for (int m = 0; m < MODELS; m++) {
            int outcomes;
            bool allowed = allows(&programs[p], names[m], &outcomes);
            bool as_known = allowed == programs[p].allowed[m];
            char cell[32];
            snprintf(cell, sizeof cell, "%s of %d%s", allowed ? "yes" : "no", outcomes, as_known ? "" : " (!)");
            printf("%-10s", cell);
            right = right && as_known;
        }
        printf("\n");
    }
    return right ? 0 : 1;
}
