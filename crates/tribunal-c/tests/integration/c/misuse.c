/* What callers get wrong, and what they get for it: a code and a message, never a crash. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tribunal.h>

static int failures;

#define EXPECT(condition)                                                                        \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "misuse.c:%d: %s: %s\n", __LINE__, #condition, tribunal_last_error()); \
            failures++;                                                                          \
        }                                                                                        \
    } while (0)
#define OK(call) EXPECT((call) == TRIBUNAL_STATUS_OK)
#define INVALID(call) EXPECT((call) == TRIBUNAL_STATUS_INVALID && *tribunal_last_error())
#define MALFORMED(call) EXPECT((call) == TRIBUNAL_STATUS_MALFORMED && *tribunal_last_error())

static const tribunal_order RLX = TRIBUNAL_ORDER_RELAXED;
static const char SB[] = "T0: W x 1; R y 0\nT1: W y 1; R x 0\n";

static tribunal_status parse(const char *text, tribunal_history **history) {
    return tribunal_history_parse(text, strlen(text), NULL, history);
}

static void null_handles(void) {
    tribunal_place place = {0, 0};
    INVALID(tribunal_builder_new(NULL));
    INVALID(tribunal_builder_name(NULL, "a"));
    INVALID(tribunal_builder_thread(NULL, "a", NULL));
    INVALID(tribunal_builder_location(NULL, "a", 0, NULL));
    INVALID(tribunal_builder_push(NULL, tribunal_read(0, 0, 0, RLX), NULL));
    INVALID(tribunal_builder_depends(NULL, place, 0));
    INVALID(tribunal_builder_interval(NULL, place, NULL, NULL));
    INVALID(tribunal_builder_final(NULL, 0, 0));
    INVALID(tribunal_builder_build(NULL, NULL));
    tribunal_history *history = (tribunal_history *)1;
    INVALID(tribunal_builder_build(NULL, &history));
    EXPECT(history == NULL);
    tribunal_builder_free(NULL);
    INVALID(tribunal_object_builder_new(NULL, NULL));
    INVALID(tribunal_object_builder_call(NULL, 0, NULL, NULL, 0, 0, NULL));
    INVALID(tribunal_object_builder_return(NULL, 0, tribunal_null(), 0));
    INVALID(tribunal_object_builder_build(NULL, NULL));
    tribunal_object_builder_free(NULL);
    INVALID(tribunal_history_parse(NULL, 3, NULL, NULL));
    EXPECT(tribunal_history_name(NULL) == NULL && tribunal_history_json(NULL) == NULL);
    EXPECT(tribunal_history_length(NULL) == 0 && !tribunal_history_is_of_object(NULL));
    tribunal_history_free(NULL);
    INVALID(tribunal_reader_next(NULL, NULL));
    INVALID(tribunal_reader_open(NULL, NULL, NULL, 0, NULL));
    tribunal_reader_free(NULL);
    tribunal_verdict *verdict = (tribunal_verdict *)1;
    INVALID(tribunal_check(NULL, "sc", NULL, &verdict));
    EXPECT(verdict == NULL);
    EXPECT(tribunal_verdict_word(NULL) == TRIBUNAL_WORD_UNDECIDED);
    EXPECT(tribunal_verdict_text(NULL) == NULL && tribunal_verdict_json(NULL) == NULL);
    EXPECT(tribunal_verdict_engine(NULL) == NULL && tribunal_verdict_reason(NULL) == NULL);
    EXPECT(tribunal_verdict_verify(NULL, NULL) == TRIBUNAL_VERIFICATION_NONE);
    tribunal_verdict_free(NULL);
    INVALID(tribunal_session_new("sc", NULL));
    INVALID(tribunal_session_thread(NULL, NULL));
    INVALID(tribunal_session_write(NULL, 0, 0, RLX, NULL));
    INVALID(tribunal_session_candidates(NULL, 0, 0, RLX, NULL, 0, NULL));
    INVALID(tribunal_session_undo(NULL, 0));
    EXPECT(tribunal_session_refusal(NULL, NULL) == TRIBUNAL_BECAUSE_NOTHING);
    tribunal_session_free(NULL);
    INVALID(tribunal_monitor_push(NULL, tribunal_fence(0, TRIBUNAL_ORDER_SEQ_CST)));
    INVALID(tribunal_monitor_finish(NULL));
    EXPECT(tribunal_monitor_explain(NULL) == NULL && tribunal_monitor_events(NULL) == 0);
    EXPECT(!tribunal_monitor_unsettled(NULL).limited);
    tribunal_monitor_free(NULL);
    tribunal_stop_raise(NULL);
    tribunal_stop_free(NULL);
}

static void builders(void) {
    tribunal_builder *b;
    tribunal_history *h;
    tribunal_thread t;
    tribunal_location x;
    uint32_t index;
    OK(tribunal_builder_new(&b));
    INVALID(tribunal_builder_push(b, tribunal_write(0, 0, 1, RLX), NULL));
    INVALID(tribunal_builder_thread(b, NULL, &t));
    INVALID(tribunal_builder_thread(b, "\xff", &t));
    OK(tribunal_builder_thread(b, "T\xc3\xa9", &t));
    OK(tribunal_builder_location(b, "x", 7, &x));
    INVALID(tribunal_builder_push(b, tribunal_write(t + 1, x, 1, RLX), NULL));
    INVALID(tribunal_builder_push(b, tribunal_write(t, x + 1, 1, RLX), NULL));
    INVALID(tribunal_builder_push(b, tribunal_write(t, x, 1, (tribunal_order)99), NULL));
    INVALID(tribunal_builder_push(b, tribunal_fence(t, RLX), NULL));
    INVALID(tribunal_builder_push(b, tribunal_rmw(t, x, 0, 1, TRIBUNAL_ORDER_NON_ATOMIC), NULL));
    tribunal_event event = tribunal_read(t, x, 7, RLX);
    event.kind = (tribunal_kind)77;
    INVALID(tribunal_builder_push(b, event, NULL));
    event.kind = TRIBUNAL_KIND_READ;
    event.source = (tribunal_source)-1;
    INVALID(tribunal_builder_push(b, event, NULL));
    event.source = TRIBUNAL_SOURCE_INITIAL;
    OK(tribunal_builder_push(b, event, &index));
    EXPECT(index == 0);
    tribunal_place place = {t, 1};
    INVALID(tribunal_builder_depends(b, place, 0));
    INVALID(tribunal_builder_final(b, x + 1, 0));
    OK(tribunal_builder_push(b, tribunal_write(t, x, 8, RLX), NULL));
    OK(tribunal_builder_depends(b, place, 0));
    uint64_t begin = 1, end = 2;
    OK(tribunal_builder_interval(b, place, &begin, &end));
    OK(tribunal_builder_final(b, x, 8));
    OK(tribunal_builder_name(b, "one"));
    INVALID(tribunal_builder_build(b, NULL));
    OK(tribunal_builder_build(b, &h));
    EXPECT(tribunal_history_length(h) == 2 && strcmp(tribunal_history_name(h), "one") == 0);
    EXPECT(strstr(tribunal_history_json(h), "\"T\xc3\xa9\"") != NULL);
    tribunal_history_free(h);
    /* The builder is empty again; a malformed history is none, and the builder goes on. */
    INVALID(tribunal_builder_push(b, tribunal_write(t, x, 1, RLX), NULL));
    OK(tribunal_builder_thread(b, "T", &t));
    OK(tribunal_builder_location(b, "x", 0, &x));
    event = tribunal_read(t, x, 1, RLX);
    event.source = TRIBUNAL_SOURCE_EVENT;
    event.from.thread = 12345;
    OK(tribunal_builder_push(b, event, NULL));
    MALFORMED(tribunal_builder_build(b, &h));
    EXPECT(h == NULL);
    OK(tribunal_builder_build(b, &h));
    EXPECT(tribunal_history_length(h) == 0);
    tribunal_history_free(h);
    /* A million events. */
    OK(tribunal_builder_thread(b, "T", &t));
    OK(tribunal_builder_location(b, "x", 0, &x));
    for (uint64_t i = 1; i <= 500000; i++) {
        OK(tribunal_builder_push(b, tribunal_write(t, x, i, RLX), NULL));
        OK(tribunal_builder_push(b, tribunal_read(t, x, i, RLX), NULL));
    }
    OK(tribunal_builder_build(b, &h));
    tribunal_verdict *verdict;
    OK(tribunal_check(h, "ra", NULL, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_CONSISTENT);
    tribunal_verdict_free(verdict);
    tribunal_limits tiny = {0, 1, 0, NULL};
    OK(tribunal_check(h, "sc", &tiny, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_UNDECIDED && tribunal_verdict_reason(verdict) != NULL);
    EXPECT(tribunal_verdict_certificate(verdict) == NULL);
    EXPECT(tribunal_verdict_verify(verdict, NULL) == TRIBUNAL_VERIFICATION_NONE);
    tribunal_verdict_free(verdict);
    tribunal_history_free(h);
    tribunal_builder_free(b);
}

static void objects(void) {
    tribunal_object_builder *b;
    tribunal_history *h;
    tribunal_verdict *verdict;
    uint32_t process, operation;
    INVALID(tribunal_object_builder_new("no-such-thing", &b));
    INVALID(tribunal_object_builder_new("missing.spec", &b));
    OK(tribunal_object_builder_new("queue", &b));
    INVALID(tribunal_object_builder_call(b, 0, "dequeue", NULL, 0, 0, NULL));
    OK(tribunal_object_builder_process(b, "p", &process));
    INVALID(tribunal_object_builder_call(b, process, NULL, NULL, 0, 0, NULL));
    INVALID(tribunal_object_builder_call(b, process, "enqueue", NULL, 1, 0, NULL));
    tribunal_value value = tribunal_text(NULL);
    INVALID(tribunal_object_builder_call(b, process, "enqueue", &value, 1, 0, NULL));
    value.kind = (tribunal_value_kind)9;
    INVALID(tribunal_object_builder_call(b, process, "enqueue", &value, 1, 0, NULL));
    INVALID(tribunal_object_builder_return(b, 0, tribunal_null(), 1));
    OK(tribunal_object_builder_call(b, process, "dequeue", NULL, 0, 5, &operation));
    OK(tribunal_object_builder_return(b, operation, tribunal_null(), 4));
    MALFORMED(tribunal_object_builder_build(b, &h));
    OK(tribunal_object_builder_process(b, "p", &process));
    value = tribunal_text("element");
    OK(tribunal_object_builder_call(b, process, "push", &value, 1, 5, &operation));
    OK(tribunal_object_builder_build(b, &h));
    MALFORMED(tribunal_check(h, "linearizable", NULL, &verdict));
    tribunal_history_free(h);
    tribunal_object_builder_free(b);
}

static void readers(void) {
    tribunal_history *h = NULL;
    tribunal_verdict *verdict;
    tribunal_reader *r;
    MALFORMED(parse("", &h));
    MALFORMED(parse("T0: W x one\n", &h));
    EXPECT(strstr(tribunal_last_error(), "buffer:1:") != NULL);
    MALFORMED(parse("{\"threads\": 1}", &h));
    EXPECT(h == NULL);
    INVALID(tribunal_history_parse(SB, sizeof SB - 1, "xml", &h));
    OK(tribunal_history_parse(SB, sizeof SB - 1, "text", &h));
    INVALID(tribunal_check(h, NULL, NULL, &verdict));
    INVALID(tribunal_check(h, "tos", NULL, &verdict));
    INVALID(tribunal_check(h, "sc,tso", NULL, &verdict));
    INVALID(tribunal_check(h, "missing.cat", NULL, &verdict));
    INVALID(tribunal_check(h, "sc", NULL, NULL));
    OK(tribunal_check(h, "linearizable", NULL, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_UNSUPPORTED && tribunal_verdict_engine(verdict) == NULL);
    EXPECT(tribunal_verdict_reason(verdict) != NULL && tribunal_verdict_text(verdict) != NULL);
    tribunal_verdict_free(verdict);
    tribunal_stop *stop;
    OK(tribunal_stop_new(&stop));
    tribunal_stop_raise(stop);
    tribunal_limits limits = {0, 0, 0, stop};
    OK(tribunal_check(h, "sc", &limits, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_UNDECIDED);
    tribunal_verdict_free(verdict);
    tribunal_stop_lower(stop);
    limits.timeout_ms = UINT64_MAX;
    OK(tribunal_check(h, "sc", &limits, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_INCONSISTENT);
    tribunal_stop_free(stop);
    tribunal_verdict_free(verdict);
    tribunal_history_free(h);

    static const char TWO[] = "name: a\nT0: W x 1\n---\nname: b\nT0: R x 0\n";
    MALFORMED(parse(TWO, &h));
    INVALID(tribunal_reader_new(TWO, sizeof TWO - 1, NULL, NULL, "no-such-spec", 0, &r));
    OK(tribunal_reader_new(TWO, sizeof TWO - 1, "two.txt", NULL, NULL, 0, &r));
    for (int i = 0; i < 2; i++) {
        OK(tribunal_reader_next(r, &h));
        EXPECT(strcmp(tribunal_history_name(h), i ? "b" : "a") == 0);
        tribunal_history_free(h);
    }
    EXPECT(tribunal_reader_next(r, &h) == TRIBUNAL_STATUS_END && h == NULL);
    EXPECT(tribunal_reader_next(r, &h) == TRIBUNAL_STATUS_END && h == NULL);
    tribunal_reader_free(r);
    INVALID(tribunal_reader_open("/no/such/file", NULL, NULL, 0, &r));
    EXPECT(r == NULL);
}

static void sessions(void) {
    tribunal_session *s;
    tribunal_thread t0, t1;
    tribunal_location x;
    tribunal_write_id initial, w, by, room[1];
    tribunal_mark mark, later;
    tribunal_place place;
    size_t count;
    INVALID(tribunal_session_new("cc", &s));
    EXPECT(s == NULL);
    OK(tribunal_session_new("ra", &s));
    INVALID(tribunal_session_write(s, 0, 0, RLX, NULL));
    OK(tribunal_session_thread(s, &t0));
    OK(tribunal_session_thread(s, &t1));
    INVALID(tribunal_session_initial(s, 0, &initial));
    OK(tribunal_session_location(s, &x));
    OK(tribunal_session_initial(s, x, &initial));
    OK(tribunal_session_mark(s, &mark));
    OK(tribunal_session_write(s, t0, x, RLX, &w));
    INVALID(tribunal_session_write(s, t0, x, (tribunal_order)-1, NULL));
    INVALID(tribunal_session_read(s, t0, UINT64_MAX, RLX));
    INVALID(tribunal_session_read(s, t0, w + 1, RLX));
    INVALID(tribunal_session_read(s, 1000, w, RLX));
    INVALID(tribunal_session_fence(s, t0, RLX));
    INVALID(tribunal_session_rmw(s, t0, w, TRIBUNAL_ORDER_NON_ATOMIC, NULL));
    EXPECT(tribunal_session_refusal(s, &by) == TRIBUNAL_BECAUSE_NOTHING);
    EXPECT(tribunal_session_read(s, t0, initial, RLX) == TRIBUNAL_STATUS_INCONSISTENT);
    EXPECT(tribunal_session_refusal(s, &by) == TRIBUNAL_BECAUSE_OVERWRITTEN && by == w);
    tribunal_verdict *verdict;
    OK(tribunal_session_refutation(s, NULL, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_INCONSISTENT);
    EXPECT(tribunal_verdict_verify(verdict, NULL) == TRIBUNAL_VERIFICATION_ACCEPTED);
    tribunal_verdict_free(verdict);
    OK(tribunal_session_settle(s, NULL, &verdict));
    EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_CONSISTENT);
    tribunal_verdict_free(verdict);
    OK(tribunal_session_candidates(s, t1, x, RLX, NULL, 0, &count));
    EXPECT(count == 2);
    INVALID(tribunal_session_candidates(s, t1, x, RLX, NULL, 1, &count));
    OK(tribunal_session_candidates(s, t1, x, RLX, room, 1, &count));
    EXPECT(count == 2 && room[0] == initial);
    EXPECT(tribunal_session_may_read(s, t0, initial, RLX) == TRIBUNAL_STATUS_INCONSISTENT);
    OK(tribunal_session_may_rmw(s, t1, w, RLX));
    OK(tribunal_session_place(s, w, &place));
    EXPECT(place.thread == t0 && place.index == 0);
    EXPECT(tribunal_session_place(s, initial, &place) == TRIBUNAL_STATUS_END);
    OK(tribunal_session_mark(s, &later));
    OK(tribunal_session_undo(s, mark));
    INVALID(tribunal_session_undo(s, later));
    INVALID(tribunal_session_undo(s, 0));
    EXPECT(tribunal_session_length(s) == 0);
    INVALID(tribunal_session_read(s, t1, w, RLX));
    OK(tribunal_session_write_after(s, t0, x, RLX, initial, &w));
    EXPECT(tribunal_session_refutation(s, NULL, &verdict) == TRIBUNAL_STATUS_END);
    tribunal_thread child;
    OK(tribunal_session_spawn(s, t0, &child));
    INVALID(tribunal_session_join(s, t0, t0));
    OK(tribunal_session_join(s, t0, child));
    INVALID(tribunal_session_join(s, t0, child));
    INVALID(tribunal_session_write(s, child, x, RLX, NULL));
    INVALID(tribunal_session_spawn(s, child, NULL));
    uint32_t known;
    OK(tribunal_session_known(s, t0, child, &known));
    INVALID(tribunal_session_known(s, t0, 99, &known));
    OK(tribunal_session_finish(s, t1));
    OK(tribunal_session_retire(s, NULL));
    INVALID(tribunal_session_undo(s, mark));
    tribunal_history *h;
    OK(tribunal_session_history(s, &h));
    tribunal_history_free(h);
    tribunal_session_free(s);
    OK(tribunal_session_exact("sc", &s));
    OK(tribunal_session_thread(s, &t0));
    OK(tribunal_session_location(s, &x));
    OK(tribunal_session_initial(s, x, &initial));
    INVALID(tribunal_session_write_after(s, t0, x, RLX, initial, &w));
    INVALID(tribunal_session_known(s, t0, t0, &known));
    tribunal_session_free(s);
}

struct told {
    int calls;
    tribunal_thread thread;
    tribunal_location location;
};

static void on_violation(void *context, tribunal_monitor *m, const tribunal_violation *violation) {
    struct told *told = context;
    told->calls++;
    EXPECT(violation->event == 1 && violation->place.index == 1);
    const char *text = tribunal_monitor_explain(m);
    EXPECT(text != NULL && text == tribunal_monitor_explain(m));
    EXPECT(tribunal_monitor_violations(m) == 1);
    /* The monitor is in use. */
    INVALID(tribunal_monitor_push(m, tribunal_write(told->thread, told->location, 5, RLX)));
    INVALID(tribunal_monitor_finish(m));
    INVALID(tribunal_monitor_thread(m, "new", NULL));
    tribunal_monitor_free(m);
}

static void monitors(void) {
    tribunal_monitor *m;
    struct told told = {0, 0, 0};
    INVALID(tribunal_monitor_new("cc", 10, NULL, NULL, NULL, &m));
    OK(tribunal_monitor_new("sc", 10, NULL, on_violation, &told, &m));
    INVALID(tribunal_monitor_push(m, tribunal_write(0, 0, 1, RLX)));
    OK(tribunal_monitor_thread(m, "T0", &told.thread));
    OK(tribunal_monitor_thread(m, "T0", &told.thread));
    EXPECT(told.thread == 0);
    OK(tribunal_monitor_location(m, "x", 0, &told.location));
    INVALID(tribunal_monitor_location(m, "x", 1, NULL));
    OK(tribunal_monitor_push(m, tribunal_write(0, 0, 1, RLX)));
    EXPECT(tribunal_monitor_explain(m) == NULL);
    EXPECT(tribunal_monitor_push(m, tribunal_read(0, 0, 0, RLX)) == TRIBUNAL_STATUS_INCONSISTENT);
    EXPECT(told.calls == 1 && tribunal_monitor_explain(m) != NULL);
    OK(tribunal_monitor_push(m, tribunal_read(0, 0, 1, RLX)));
    OK(tribunal_monitor_settle(m));
    OK(tribunal_monitor_finish(m));
    OK(tribunal_monitor_finish(m));
    EXPECT(tribunal_monitor_events(m) == 3 && tribunal_monitor_bytes(m) > 0);
    tribunal_monitor_free(m);
    /* Store buffering is found by settling alone if it is found at the end; here there is no callback. */
    OK(tribunal_monitor_new("sc", 10, NULL, NULL, NULL, &m));
    for (int i = 0; i < 2; i++) {
        char name[2] = {(char)('0' + i), 0};
        OK(tribunal_monitor_thread(m, name, NULL));
        OK(tribunal_monitor_location(m, name, 0, NULL));
    }
    tribunal_status worst = TRIBUNAL_STATUS_OK;
    for (uint32_t t = 0; t < 2; t++) {
        tribunal_status one = tribunal_monitor_push(m, tribunal_write(t, t, 1, RLX));
        tribunal_status two = tribunal_monitor_push(m, tribunal_read(t, 1 - t, 0, RLX));
        worst = one > worst ? one : two > worst ? two : worst;
    }
    if (worst == TRIBUNAL_STATUS_OK) worst = tribunal_monitor_finish(m);
    EXPECT(worst == TRIBUNAL_STATUS_INCONSISTENT && tribunal_monitor_explain(m) != NULL);
    tribunal_monitor_free(m);
    /* A read whose write never comes. */
    OK(tribunal_monitor_new("ra", 10, NULL, NULL, NULL, &m));
    OK(tribunal_monitor_thread(m, "T0", NULL));
    OK(tribunal_monitor_location(m, "x", 0, NULL));
    OK(tribunal_monitor_push(m, tribunal_read(0, 0, 99, RLX)));
    EXPECT(tribunal_monitor_finish(m) == TRIBUNAL_STATUS_INCONSISTENT);
    tribunal_monitor_free(m);
    /* A limit of one byte. */
    tribunal_limits tiny = {0, 1, 0, NULL};
    OK(tribunal_monitor_new("ra", 10, &tiny, NULL, NULL, &m));
    OK(tribunal_monitor_thread(m, "T0", NULL));
    OK(tribunal_monitor_location(m, "x", 0, NULL));
    EXPECT(tribunal_monitor_push(m, tribunal_write(0, 0, 1, RLX)) == TRIBUNAL_STATUS_LIMIT);
    tribunal_monitor_free(m);
}

static void *reader_of_verdict(void *verdict) {
    const char *text = NULL;
    EXPECT(*tribunal_last_error() == 0);
    for (int i = 0; i < 100; i++) {
        const char *again = tribunal_verdict_text(verdict);
        EXPECT(text == NULL || text == again);
        text = again;
        EXPECT(tribunal_verdict_verify(verdict, NULL) == TRIBUNAL_VERIFICATION_ACCEPTED);
        EXPECT(tribunal_verdict_word(verdict) == TRIBUNAL_WORD_INCONSISTENT);
        EXPECT(tribunal_verdict_json(verdict) != NULL && tribunal_verdict_certificate(verdict) != NULL);
    }
    return NULL;
}

static void *checker_of_history(void *history) {
    for (int i = 0; i < 50; i++) {
        tribunal_verdict *verdict;
        OK(tribunal_check(history, i % 2 ? "sc" : "tso", NULL, &verdict));
        EXPECT(tribunal_verdict_word(verdict) == (i % 2 ? TRIBUNAL_WORD_INCONSISTENT : TRIBUNAL_WORD_CONSISTENT));
        tribunal_verdict_free(verdict);
    }
    EXPECT(tribunal_history_json(history) == tribunal_history_json(history));
    return NULL;
}

static void *freer_of_session(void *session) {
    OK(tribunal_session_write(session, 0, 0, RLX, NULL));
    tribunal_session_free(session);
    return NULL;
}

static void threads(void) {
    tribunal_history *h;
    tribunal_verdict *verdict;
    pthread_t readers[4], freer;
    OK(parse(SB, &h));
    for (int i = 0; i < 4; i++) pthread_create(&readers[i], NULL, checker_of_history, h);
    for (int i = 0; i < 4; i++) pthread_join(readers[i], NULL);
    OK(tribunal_check(h, "sc", NULL, &verdict));
    tribunal_history_free(h);
    for (int i = 0; i < 4; i++) pthread_create(&readers[i], NULL, reader_of_verdict, verdict);
    for (int i = 0; i < 4; i++) pthread_join(readers[i], NULL);
    tribunal_verdict_free(verdict);
    tribunal_session *s;
    OK(tribunal_session_new("tso", &s));
    OK(tribunal_session_thread(s, NULL));
    OK(tribunal_session_location(s, NULL));
    pthread_create(&freer, NULL, freer_of_session, s);
    pthread_join(freer, NULL);
}

int main(void) {
    EXPECT(strchr(tribunal_version(), '.') != NULL);
    EXPECT(*tribunal_last_error() == 0);
    null_handles();
    builders();
    objects();
    readers();
    sessions();
    monitors();
    threads();
    return failures ? 1 : 0;
}
