/* Tribunal: is an observed execution of a concurrent system consistent with a model?
 *
 * There are three ways to ask:
 *
 *   - about a history that is complete: build it event by event (tribunal_builder, tribunal_object_builder) or read it
 *     (tribunal_history_parse, tribunal_reader); tribunal_check then gives a tribunal_verdict;
 *   - about an execution that grows and goes back, as in a model checker: tribunal_session;
 *   - about a memory that runs, as in a simulator or a testbench: tribunal_monitor.
 *
 * Errors. Most calls return a tribunal_status. OK, INCONSISTENT and END are answers. After any other, tribunal_last_error() says
 * in words what is wrong. Calls that return something else return 0, NULL or false if they fail. No panic, exception or signal
 * comes out of the library, and it prints nothing, unless it has a defect (BROKEN): that also goes to standard error.
 *
 * Ownership. A call that fills in a pointer to a handle gives that handle to the caller, who frees it with the _free function of
 * its type; if the call fails, it fills in NULL. Freeing NULL does nothing. Using a handle after it is freed is undefined.
 * Pointers to answers other than handles may be NULL if the answer is not wanted. Strings passed in are UTF-8, end with NUL and
 * are copied. Strings returned are UTF-8, end with NUL, and belong to the handle they came from: do not free them. They last as
 * long as the handle, unless a comment says otherwise.
 *
 * Threads. A handle may move between threads, but only one thread may use it at a time. A tribunal_history, a tribunal_verdict
 * and a tribunal_stop may be used by any number of threads at once. Different handles never interfere with each other.
 *
 * Ids. Threads, locations, processes and operations are numbers from 0 and belong to the handle that gave them. A wrong id is
 * INVALID, and nothing happens.
 *
 * Link with the flags that `pkg-config --cflags --libs tribunal` prints; add --static for the static library.
 */

#ifndef TRIBUNAL_H
#define TRIBUNAL_H

/* Written by cbindgen from crates/tribunal-c/src: change it there. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// How a call ended. After a code other than OK, INCONSISTENT and END, `tribunal_last_error` says what is wrong.
typedef enum {
  // It did what was asked.
  TRIBUNAL_STATUS_OK = 0,
  // The event makes the execution inconsistent with its model. Not an error.
  TRIBUNAL_STATUS_INCONSISTENT = 1,
  // There is no more, or no such thing. Not an error.
  TRIBUNAL_STATUS_END = 2,
  // An argument is wrong: NULL, a name or an id that does not exist, a call at the wrong moment. Nothing was done.
  TRIBUNAL_STATUS_INVALID = 3,
  // The history is malformed.
  TRIBUNAL_STATUS_MALFORMED = 4,
  // A limit was reached.
  TRIBUNAL_STATUS_LIMIT = 5,
  // A defect of the library. From then on the handle can only be freed.
  TRIBUNAL_STATUS_BROKEN = 6,
} tribunal_status;

// The answer in a word.
typedef enum {
  // A limit was reached before an answer was.
  TRIBUNAL_WORD_UNDECIDED = 0,
  // The model allows the history.
  TRIBUNAL_WORD_CONSISTENT = 1,
  // The model forbids the history.
  TRIBUNAL_WORD_INCONSISTENT = 2,
  // The question does not apply: the reason says why.
  TRIBUNAL_WORD_UNSUPPORTED = 3,
} tribunal_word;

// What came of checking a certificate.
typedef enum {
  // There is no certificate, or no verdict.
  TRIBUNAL_VERIFICATION_NONE = 0,
  // It proves the verdict.
  TRIBUNAL_VERIFICATION_ACCEPTED = 1,
  // It proves the verdict if what the specification says of itself is true.
  TRIBUNAL_VERIFICATION_TRUSTING = 2,
  // The limits did not suffice to tell.
  TRIBUNAL_VERIFICATION_UNDECIDED = 3,
  // It does not prove the verdict: a defect of the library.
  TRIBUNAL_VERIFICATION_REFUSED = 4,
} tribunal_verification;

// Why a step was refused.
typedef enum {
  // None was.
  TRIBUNAL_BECAUSE_NOTHING = 0,
  // The write to be read is overwritten, by the write that is named.
  TRIBUNAL_BECAUSE_OVERWRITTEN = 1,
  // Another RMW, which is named, reads from the write already.
  TRIBUNAL_BECAUSE_SHARED = 2,
  // Every order of the writes has a cycle.
  TRIBUNAL_BECAUSE_CYCLIC = 3,
} tribunal_because;

// Why an event cannot be.
typedef enum {
  // What it reads is overwritten in its past.
  TRIBUNAL_WHY_OVERWRITTEN = 1,
  // Another RMW reads from the same write.
  TRIBUNAL_WHY_SHARED = 2,
  // Every order of the writes has a cycle with it.
  TRIBUNAL_WHY_CYCLIC = 3,
  // No write that could still be read, nor one that came in time, wrote what it reads.
  TRIBUNAL_WHY_UNWRITTEN = 4,
  // po ∪ rf has a cycle with it.
  TRIBUNAL_WHY_OUT_OF_THIN_AIR = 5,
  // No order of the writes explains it, as the engines for whole executions found.
  TRIBUNAL_WHY_SETTLED = 6,
} tribunal_why;

// What an event does.
typedef enum {
  // It reads.
  TRIBUNAL_KIND_READ = 0,
  // It writes.
  TRIBUNAL_KIND_WRITE = 1,
  // It reads and writes in one step.
  TRIBUNAL_KIND_RMW = 2,
  // It is a fence, and has no location.
  TRIBUNAL_KIND_FENCE = 3,
} tribunal_kind;

// A memory order, as in C11.
typedef enum {
  // No synchronization but by fences.
  TRIBUNAL_ORDER_RELAXED = 0,
  // Acquire.
  TRIBUNAL_ORDER_ACQUIRE = 1,
  // Release.
  TRIBUNAL_ORDER_RELEASE = 2,
  // Acquire and release.
  TRIBUNAL_ORDER_ACQ_REL = 3,
  // Sequentially consistent.
  TRIBUNAL_ORDER_SEQ_CST = 4,
  // A plain access, which may be in a data race. Neither an RMW nor a fence.
  TRIBUNAL_ORDER_NON_ATOMIC = 5,
} tribunal_order;

// How it is known which write a read or an RMW reads from.
typedef enum {
  // By the value: it is the one write of it. If there are several, some choice must be consistent.
  TRIBUNAL_SOURCE_BY_VALUE = 0,
  // It reads the initial value.
  TRIBUNAL_SOURCE_INITIAL = 1,
  // It reads from the event at `from`.
  TRIBUNAL_SOURCE_EVENT = 2,
} tribunal_source;

// What a value is.
typedef enum {
  // Nothing: what a method without an answer returns.
  TRIBUNAL_VALUE_KIND_NULL = 0,
  // A truth value: `number` is 0, or not.
  TRIBUNAL_VALUE_KIND_BOOL = 1,
  // A whole number, `number`.
  TRIBUNAL_VALUE_KIND_INT = 2,
  // A string, `text`.
  TRIBUNAL_VALUE_KIND_TEXT = 3,
} tribunal_value_kind;

// Builds histories of a memory.
typedef struct tribunal_builder tribunal_builder;

// A history of a memory or of an object. It does not change.
typedef struct tribunal_history tribunal_history;

// Watches a memory while it runs.
typedef struct tribunal_monitor tribunal_monitor;

// Builds histories of an object.
typedef struct tribunal_object_builder tribunal_object_builder;

// Reads the histories of a buffer or of a file, one by one.
typedef struct tribunal_reader tribunal_reader;

// An execution that grows event by event, goes back, and says which writes the next read may read from.
typedef struct tribunal_session tribunal_session;

// A flag that stops answers, from another thread or from a signal handler.
typedef struct tribunal_stop tribunal_stop;

// A verdict on a history. It keeps the history, and does not change: any number of threads may ask it at once. The strings it
// gives are valid as long as it is.
typedef struct tribunal_verdict tribunal_verdict;

// A thread of a builder, a monitor or a session: a number from 0, in the order in which they were made.
typedef uint32_t tribunal_thread;

// A location of a builder, a monitor or a session: a number from 0, in the order in which they were made.
typedef uint32_t tribunal_location;

// Where an event stands: its thread, and how many events of the thread come before it.
typedef struct {
  // The thread.
  tribunal_thread thread;
  // The position in the thread, from 0.
  uint32_t index;
} tribunal_place;

// An event of a memory. Made by `tribunal_read`, `tribunal_write`, `tribunal_rmw` and `tribunal_fence`, or field by field;
// one that is all zero is a relaxed read of 0.
typedef struct {
  // Whose event it is: the next one of this thread.
  tribunal_thread thread;
  // Its location; not looked at for a fence.
  tribunal_location location;
  // What it does.
  tribunal_kind kind;
  // Its memory order.
  tribunal_order order;
  // What it writes, or what a plain read reads.
  uint64_t value;
  // What an RMW reads; not looked at otherwise.
  uint64_t read;
  // How it is known what a read or an RMW reads from.
  tribunal_source source;
  // What it reads from, if `source` says so.
  tribunal_place from;
} tribunal_event;

// An argument or a return of an operation. Histories with lists come from files.
typedef struct {
  // What it is.
  tribunal_value_kind kind;
  // The number, or the truth value.
  int64_t number;
  // The text, which is copied; not looked at otherwise.
  const char *text;
} tribunal_value;

// How much an answer may cost. All zero, or NULL in its place: the usual limits, those of `tribunal check` without options.
typedef struct {
  // Milliseconds; 0: no limit.
  uint64_t timeout_ms;
  // Bytes beside the history; 0: three quarters of the machine's memory.
  size_t max_memory;
  // States that a search may visit; 0: ten million.
  uint64_t max_states;
  // Stops the answer once it is raised; NULL: nothing does.
  const tribunal_stop *stop;
} tribunal_limits;

// A write of a session. The lower 32 bits are a small number, for tables of one's own: no two writes that are left have the same.
typedef uint64_t tribunal_write_id;

// A moment of a session to go back to.
typedef uint64_t tribunal_mark;

// An event that makes the execution inconsistent with the model. The monitor goes on as if it had not been.
typedef struct {
  // How many events came before it.
  uint64_t event;
  // Where it stands.
  tribunal_place place;
  // Why it cannot be.
  tribunal_why why;
} tribunal_violation;

// Called at an event that makes the execution inconsistent, with the `context` that the monitor was made with.
//
// It may ask the monitor for an explanation and for counts; calls that would change the monitor are INVALID meanwhile. It has to
// return: neither `longjmp` nor an exception may leave it.
typedef void (*tribunal_on_violation)(void *context,
                                      tribunal_monitor *monitor,
                                      const tribunal_violation *violation);

// What a monitor could not tell; all zero if it could tell everything.
typedef struct {
  // Reads that were passed over because several writes of their value could be read.
  uint64_t ambiguous;
  // Reads that were passed over because their thread came late, and what they read may have been dropped.
  uint64_t late;
  // So many events, the first, are consistent as far as saturation tells, and were not settled.
  uint64_t events;
  // Whether a limit was reached in settling.
  bool limited;
} tribunal_unsettled;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The library's version, as `0.1.0`.
const char *tribunal_version(void);

// What was wrong with the last call of this thread that failed; empty if none did.
//
// Valid until the next call of this thread that fails.
const char *tribunal_last_error(void);

// A read of `value`.
tribunal_event tribunal_read(tribunal_thread thread,
                             tribunal_location location,
                             uint64_t value,
                             tribunal_order order);

// A write of `value`.
tribunal_event tribunal_write(tribunal_thread thread,
                              tribunal_location location,
                              uint64_t value,
                              tribunal_order order);

// A read-modify-write that reads `read` and writes `value`.
tribunal_event tribunal_rmw(tribunal_thread thread,
                            tribunal_location location,
                            uint64_t read,
                            uint64_t value,
                            tribunal_order order);

// A fence, whose order is neither relaxed nor non-atomic.
tribunal_event tribunal_fence(tribunal_thread thread, tribunal_order order);

// Makes a builder of histories of a memory.
tribunal_status tribunal_builder_new(tribunal_builder **builder);

// Names the history.
tribunal_status tribunal_builder_name(tribunal_builder *builder, const char *name);

// The thread of this name, new or not.
tribunal_status tribunal_builder_thread(tribunal_builder *builder,
                                        const char *name,
                                        tribunal_thread *thread);

// The location of this name, new or not, with this initial value.
tribunal_status tribunal_builder_location(tribunal_builder *builder,
                                          const char *name,
                                          uint64_t initial,
                                          tribunal_location *location);

// The next event of its thread. `index` gets its position in the thread; NULL if that is of no interest.
tribunal_status tribunal_builder_push(tribunal_builder *builder, tribunal_event event, uint32_t *index);

// An event depends on an earlier read of its thread, given by its position.
tribunal_status tribunal_builder_depends(tribunal_builder *builder, tribunal_place event, uint32_t on);

// When an event began and ended; NULL for what is not known.
tribunal_status tribunal_builder_interval(tribunal_builder *builder,
                                          tribunal_place event,
                                          const uint64_t *begin,
                                          const uint64_t *end);

// The value that a location has in the end.
tribunal_status tribunal_builder_final(tribunal_builder *builder, tribunal_location location, uint64_t value);

// The history. The builder is empty again, also if the history is malformed, and serves for another one.
tribunal_status tribunal_builder_build(tribunal_builder *builder, tribunal_history **history);

// Frees a builder. NULL is ignored.
void tribunal_builder_free(tribunal_builder *builder);

// Nothing, as a value.
tribunal_value tribunal_null(void);

// A truth value.
tribunal_value tribunal_bool(bool truth);

// A whole number as a value.
tribunal_value tribunal_int(int64_t number);

// A string as a value.
tribunal_value tribunal_text(const char *text);

// Makes a builder of histories of an object that should do what a specification says: a built-in one such as `queue`, `stack`,
// `register` or `set`, or a file with the extension `.spec`.
tribunal_status tribunal_object_builder_new(const char *specification,
                                            tribunal_object_builder **builder);

// Names the history.
tribunal_status tribunal_object_builder_name(tribunal_object_builder *builder, const char *name);

// The process of this name, new or not. A process calls one method at a time.
tribunal_status tribunal_object_builder_process(tribunal_object_builder *builder,
                                                const char *name,
                                                uint32_t *process);

// A process calls a method, with `count` arguments, at a time of any clock that all share. The operation is pending until it returns.
tribunal_status tribunal_object_builder_call(tribunal_object_builder *builder,
                                             uint32_t process,
                                             const char *method,
                                             const tribunal_value *arguments,
                                             size_t count,
                                             uint64_t time,
                                             uint32_t *operation);

// An operation returns a value, at a time.
tribunal_status tribunal_object_builder_return(tribunal_object_builder *builder,
                                               uint32_t operation,
                                               tribunal_value value,
                                               uint64_t time);

// The history. The builder is empty again, also if the history is malformed, and serves for another one.
tribunal_status tribunal_object_builder_build(tribunal_object_builder *builder, tribunal_history **history);

// Frees a builder. NULL is ignored.
void tribunal_object_builder_free(tribunal_object_builder *builder);

// The history's name, NULL if it has none. Valid as long as the history.
const char *tribunal_history_name(const tribunal_history *history);

// How many events or, of an object, operations there are.
size_t tribunal_history_length(const tribunal_history *history);

// Whether the history is of an object rather than of a memory.
bool tribunal_history_is_of_object(const tribunal_history *history);

// The history as native JSON on one line, which every reader of the project takes. Valid as long as the history.
const char *tribunal_history_json(const tribunal_history *history);

// Frees a history. NULL is ignored. Verdicts on it stay valid.
void tribunal_history_free(tribunal_history *history);

// Reads the histories of a buffer, which is copied.
//
// `name` stands for the file in messages and verdicts, and its extension may tell the format; NULL if it has none. `format` is `json`,
// `axe`, `text`, `edn` or `jepsen-log`, or NULL: then it is recognized. gzip and zstd are looked through. `specification` is what
// objects should do: a built-in name, a file with the extension `.spec`, or NULL for what each history says. `max_memory` is how
// many bytes a history may take; 0: three quarters of the machine's.
tribunal_status tribunal_reader_new(const void *bytes,
                                    size_t length,
                                    const char *name,
                                    const char *format,
                                    const char *specification,
                                    size_t max_memory,
                                    tribunal_reader **reader);

// Reads the histories of a file, of which no more is in memory than a history. The rest is as for `tribunal_reader_new`.
tribunal_status tribunal_reader_open(const char *path,
                                     const char *format,
                                     const char *specification,
                                     size_t max_memory,
                                     tribunal_reader **reader);

// The next history; `TRIBUNAL_STATUS_END` if there is none. After an error there is none either.
tribunal_status tribunal_reader_next(tribunal_reader *reader, tribunal_history **history);

// Frees a reader. NULL is ignored. Its histories stay valid.
void tribunal_reader_free(tribunal_reader *reader);

// The one history of a buffer: what a reader of it gives if it gives one.
tribunal_status tribunal_history_parse(const void *bytes,
                                       size_t length,
                                       const char *format,
                                       tribunal_history **history);

// Makes a flag, which is lowered. If it is freed, answers under way that were given it go on.
tribunal_status tribunal_stop_new(tribunal_stop **stop);

// Stops all answers that were given the flag: they become undecided, mostly within milliseconds. May be called from any thread, and
// from a signal handler.
void tribunal_stop_raise(const tribunal_stop *stop);

// Lowers the flag, for answers to come.
void tribunal_stop_lower(const tribunal_stop *stop);

// Frees a flag. NULL is ignored.
void tribunal_stop_free(tribunal_stop *stop);

// Whether a model allows a history.
//
// `model` is the name of a model of memories, as `sc`, `tso` or `rc20`, or of a criterion of objects, as `linearizable`; a file
// with the extension `.cat`, which is read anew; or a pair, as `po-mm=RR+RW;rf-mm=rfe`. `tribunal models` lists them. `limits` may be NULL. A verdict that is
// undecided or unsupported is a verdict, too: the call ends with `TRIBUNAL_STATUS_OK`.
tribunal_status tribunal_check(const tribunal_history *history,
                               const char *model,
                               const tribunal_limits *limits,
                               tribunal_verdict **verdict);

// The answer in a word; of NULL, undecided.
tribunal_word tribunal_verdict_word(const tribunal_verdict *verdict);

// The model or criterion that was asked for.
const char *tribunal_verdict_model(const tribunal_verdict *verdict);

// The engine that decided; NULL if the question does not apply.
const char *tribunal_verdict_engine(const tribunal_verdict *verdict);

// How long deciding took, in microseconds.
uint64_t tribunal_verdict_micros(const tribunal_verdict *verdict);

// Whether the history has a data race, under a model that knows them.
bool tribunal_verdict_is_racy(const tribunal_verdict *verdict);

// Why there is no answer; NULL if there is one.
const char *tribunal_verdict_reason(const tribunal_verdict *verdict);

// The answer and why it is so, as lines of text: what `tribunal explain` prints.
const char *tribunal_verdict_text(const tribunal_verdict *verdict);

// The verdict and its certificate as a line of JSON: what `tribunal check --style json --witness` prints and `tribunal verify` reads.
const char *tribunal_verdict_json(const tribunal_verdict *verdict);

// The certificate alone, as JSON: a witness if the verdict is consistent, a violation if it is inconsistent; NULL otherwise.
const char *tribunal_verdict_certificate(const tribunal_verdict *verdict);

// Checks the certificate from the definitions, without the engine that wrote it. If it is not simply accepted, `tribunal_last_error`
// says why. `limits` may be NULL.
tribunal_verification tribunal_verdict_verify(const tribunal_verdict *verdict,
                                              const tribunal_limits *limits);

// Frees a verdict and its strings. NULL is ignored.
void tribunal_verdict_free(tribunal_verdict *verdict);

// Makes a session of rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
//
// Under ra, wra and relaxed, under rc20 and rc11 without seq_cst, and under sra without RMWs a step is accepted if and only if the
// execution with it is consistent. Otherwise what is refused is inconsistent, but what is accepted may be, too:
// `tribunal_session_settle` decides, or an exact session.
tribunal_status tribunal_session_new(const char *model,
                                     tribunal_session **session);

// Makes a session whose steps and candidates are exact for every model, for executions of some dozen events. It keeps all
// events, and has no `tribunal_session_write_after`.
tribunal_status tribunal_session_exact(const char *model,
                                       tribunal_session **session);

// Frees a session. NULL is ignored.
void tribunal_session_free(tribunal_session *session);

// A new thread, of which nobody knows and which knows nothing.
tribunal_status tribunal_session_thread(tribunal_session *session, tribunal_thread *thread);

// A new thread that knows what its parent knows.
tribunal_status tribunal_session_spawn(tribunal_session *session,
                                       tribunal_thread parent,
                                       tribunal_thread *child);

// The parent knows what the child knows, which finishes with this.
tribunal_status tribunal_session_join(tribunal_session *session,
                                      tribunal_thread parent,
                                      tribunal_thread child);

// The thread has no more events, so that nothing is kept for it to read.
tribunal_status tribunal_session_finish(tribunal_session *session, tribunal_thread thread);

// A new location, with its initial write.
tribunal_status tribunal_session_location(tribunal_session *session, tribunal_location *location);

// The initial write of a location; `TRIBUNAL_STATUS_END` if it is retired.
tribunal_status tribunal_session_initial(tribunal_session *session,
                                         tribunal_location location,
                                         tribunal_write_id *write);

// The thread writes the location, which is always possible.
tribunal_status tribunal_session_write(tribunal_session *session,
                                       tribunal_thread thread,
                                       tribunal_location location,
                                       tribunal_order order,
                                       tribunal_write_id *write);

// The thread reads from a write. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then as before.
tribunal_status tribunal_session_read(tribunal_session *session,
                                      tribunal_thread thread,
                                      tribunal_write_id from,
                                      tribunal_order order);

// The thread reads from a write and overwrites it in one step. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then as before.
tribunal_status tribunal_session_rmw(tribunal_session *session,
                                     tribunal_thread thread,
                                     tribunal_write_id from,
                                     tribunal_order order,
                                     tribunal_write_id *write);

// The thread's next event is a fence, whose order is neither relaxed nor non-atomic.
tribunal_status tribunal_session_fence(tribunal_session *session,
                                       tribunal_thread thread,
                                       tribunal_order order);

// Whether `tribunal_session_read` would be accepted: OK or INCONSISTENT.
tribunal_status tribunal_session_may_read(tribunal_session *session,
                                          tribunal_thread thread,
                                          tribunal_write_id from,
                                          tribunal_order order);

// Whether `tribunal_session_rmw` would be accepted: OK or INCONSISTENT.
tribunal_status tribunal_session_may_rmw(tribunal_session *session,
                                         tribunal_thread thread,
                                         tribunal_write_id from,
                                         tribunal_order order);

// The writes of a location that the thread may read from now: the initial write first, then those of each thread in program order.
//
// `writes` has room for `capacity` of them, and gets as many as fit. `count` gets how many there are: if that is more than the
// capacity, ask again with a larger array. With a capacity of 0 `writes` may be NULL.
tribunal_status tribunal_session_candidates(tribunal_session *session,
                                            tribunal_thread thread,
                                            tribunal_location location,
                                            tribunal_order order,
                                            tribunal_write_id *writes,
                                            size_t capacity,
                                            size_t *count);

// Those of the candidates that no RMW reads from, so that the thread's next event may be one that does. The array is as for
// `tribunal_session_candidates`.
tribunal_status tribunal_session_rmw_candidates(tribunal_session *session,
                                                tribunal_thread thread,
                                                tribunal_location location,
                                                tribunal_order order,
                                                tribunal_write_id *writes,
                                                size_t capacity,
                                                size_t *count);

// The writes of a location right behind which mo may have a new write of the thread; exact if every write of the location was
// placed so. None under wra, which has no mo. The array is as for `tribunal_session_candidates`.
tribunal_status tribunal_session_positions(tribunal_session *session,
                                           tribunal_thread thread,
                                           tribunal_location location,
                                           tribunal_order order,
                                           tribunal_write_id *writes,
                                           size_t capacity,
                                           size_t *count);

// The thread writes the location, right behind `after` in mo. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot. For those who choose mo
// themselves; not in an exact session.
tribunal_status tribunal_session_write_after(tribunal_session *session,
                                             tribunal_thread thread,
                                             tribunal_location location,
                                             tribunal_order order,
                                             tribunal_write_id after,
                                             tribunal_write_id *write);

// Why the latest refused step was refused; forgotten when the session goes back. `by` gets the write that is in the way, where
// there is one. `tribunal_session_refutation` has the whole proof.
tribunal_because tribunal_session_refusal(const tribunal_session *session,
                                          tribunal_write_id *by);

// A moment to go back to. Going back does not use it up.
tribunal_status tribunal_session_mark(tribunal_session *session, tribunal_mark *mark);

// Goes back to a mark: events, threads, locations and marks since then are gone, and ids of what is gone are given anew.
tribunal_status tribunal_session_undo(tribunal_session *session,
                                      tribunal_mark mark);

// Drops what cannot be observed any more; `events` gets how many events that are. Marks become void. To be called now and then in
// a session without end: when there are twice as many events as it left the last time, say.
tribunal_status tribunal_session_retire(tribunal_session *session,
                                        uint64_t *events);

// Where a write stands in its thread; `TRIBUNAL_STATUS_END` if it is initial.
tribunal_status tribunal_session_place(tribunal_session *session,
                                       tribunal_write_id write,
                                       tribunal_place *place);

// The location of a write.
tribunal_status tribunal_session_location_of(tribunal_session *session,
                                             tribunal_write_id write,
                                             tribunal_location *location);

// How many events of `of` happen before whatever `thread` does next. Not under sc, tso and pso, which have no happens-before.
tribunal_status tribunal_session_known(tribunal_session *session,
                                       tribunal_thread thread,
                                       tribunal_thread of,
                                       uint32_t *events);

// How many events there are, those that are retired included.
uint64_t tribunal_session_length(const tribunal_session *session);

// How many bytes of memory the session takes.
size_t tribunal_session_bytes(const tribunal_session *session);

// The execution so far, or what is left of it: threads T0, T1, ..., locations x0, x1, ...; the n-th write of a location writes n.
tribunal_status tribunal_session_history(tribunal_session *session,
                                         tribunal_history **history);

// What the engines for whole executions say of the execution so far. `limits` may be NULL.
tribunal_status tribunal_session_settle(tribunal_session *session,
                                        const tribunal_limits *limits,
                                        tribunal_verdict **verdict);

// What the engines for whole executions say of the execution with the latest refused step: the proof that it is inconsistent.
// `TRIBUNAL_STATUS_END` if no step was refused since the session last went back.
tribunal_status tribunal_session_refutation(tribunal_session *session,
                                            const tribunal_limits *limits,
                                            tribunal_verdict **verdict);

// Makes a monitor of rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
//
// A read may come up to `window` events before the write that it reads from. `limits` bound each settling, each explanation and
// the memory that the monitor takes; NULL: the usual ones. `callback` is called with `context` at every violation; it may be
// NULL, since a call that finds a violation also returns `TRIBUNAL_STATUS_INCONSISTENT`.
tribunal_status tribunal_monitor_new(const char *model,
                                     uint64_t window,
                                     const tribunal_limits *limits,
                                     tribunal_on_violation callback,
                                     void *context,
                                     tribunal_monitor **monitor);

// The thread of this name, new or not. Threads should be named before events come: what one that comes late reads may be gone.
tribunal_status tribunal_monitor_thread(tribunal_monitor *monitor,
                                        const char *name,
                                        tribunal_thread *thread);

// The location of this name, new or not, with its initial value.
tribunal_status tribunal_monitor_location(tribunal_monitor *monitor,
                                          const char *name,
                                          uint64_t initial,
                                          tribunal_location *location);

// Takes the next event of a thread.
//
// `TRIBUNAL_STATUS_INCONSISTENT` if it, or an event that waited for it, makes the execution inconsistent; the callback has been called
// then, and the monitor goes on without that event. `TRIBUNAL_STATUS_LIMIT` if the monitor takes more memory than it may: the event
// was not taken.
tribunal_status tribunal_monitor_push(tribunal_monitor *monitor,
                                      tribunal_event event);

// Has the engines for whole executions decide on the latest events now, where the monitor does not tell at once: under sc, tso and pso,
// sra with RMWs, rc20 and rc11 with seq_cst. The monitor does so by itself now and then, and when it is finished.
tribunal_status tribunal_monitor_settle(tribunal_monitor *monitor);

// No more events come: reads whose writes have not come are violations, and what is left is settled.
tribunal_status tribunal_monitor_finish(tribunal_monitor *monitor);

// The latest violation as lines of text: the event, why it cannot be, and a minimal part of the execution that shows it. NULL if
// the last event brought none. Valid until the next event.
const char *tribunal_monitor_explain(tribunal_monitor *monitor);

// How many violations were found.
uint64_t tribunal_monitor_violations(const tribunal_monitor *monitor);

// How many events have come.
uint64_t tribunal_monitor_events(const tribunal_monitor *monitor);

// How many bytes of memory the monitor takes, about.
size_t tribunal_monitor_bytes(const tribunal_monitor *monitor);

// What could not be told so far. If the monitor is finished, has found no violation and all of this is zero, the execution is consistent.
tribunal_unsettled tribunal_monitor_unsettled(const tribunal_monitor *monitor);

// Frees a monitor. NULL is ignored. Must not be called from its callback.
void tribunal_monitor_free(tribunal_monitor *monitor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIBUNAL_H */
