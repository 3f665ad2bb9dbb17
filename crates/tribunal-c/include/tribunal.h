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

// How a call ended. For codes other than OK, INCONSISTENT and END, `tribunal_last_error` has a message.
typedef enum {
  // Success.
  TRIBUNAL_STATUS_OK = 0,
  // The event makes the execution inconsistent with its model. Not an error.
  TRIBUNAL_STATUS_INCONSISTENT = 1,
  // There is nothing more, or nothing there. Not an error.
  TRIBUNAL_STATUS_END = 2,
  // An argument is invalid: NULL, an unknown name or id, a call at the wrong time. Nothing was done.
  TRIBUNAL_STATUS_INVALID = 3,
  // The history is malformed.
  TRIBUNAL_STATUS_MALFORMED = 4,
  // A limit was reached.
  TRIBUNAL_STATUS_LIMIT = 5,
  // A bug in the library. From then on the handle can only be freed.
  TRIBUNAL_STATUS_BROKEN = 6,
} tribunal_status;

// The verdict.
typedef enum {
  // A limit was reached before the answer was known.
  TRIBUNAL_WORD_UNDECIDED = 0,
  // The model allows the history.
  TRIBUNAL_WORD_CONSISTENT = 1,
  // The model forbids the history.
  TRIBUNAL_WORD_INCONSISTENT = 2,
  // The model does not apply; there is a reason.
  TRIBUNAL_WORD_UNSUPPORTED = 3,
} tribunal_word;

// The result of verifying a certificate.
typedef enum {
  // There is no certificate, or no verdict.
  TRIBUNAL_VERIFICATION_NONE = 0,
  // It proves the verdict.
  TRIBUNAL_VERIFICATION_ACCEPTED = 1,
  // It proves the verdict if some hints of the specification hold.
  TRIBUNAL_VERIFICATION_TRUSTING = 2,
  // A limit was reached.
  TRIBUNAL_VERIFICATION_UNDECIDED = 3,
  // It does not prove the verdict: a bug in the library.
  TRIBUNAL_VERIFICATION_REFUSED = 4,
} tribunal_verification;

// Why a step was refused.
typedef enum {
  // None was.
  TRIBUNAL_BECAUSE_NOTHING = 0,
  // The write to be read is overwritten by the write that is named.
  TRIBUNAL_BECAUSE_OVERWRITTEN = 1,
  // Another RMW, which is named, already reads from the write.
  TRIBUNAL_BECAUSE_SHARED = 2,
  // Every order of the writes has a cycle.
  TRIBUNAL_BECAUSE_CYCLIC = 3,
} tribunal_because;

// Why an event makes the execution inconsistent.
typedef enum {
  // What it reads is overwritten in its past.
  TRIBUNAL_WHY_OVERWRITTEN = 1,
  // Another RMW reads from the same write.
  TRIBUNAL_WHY_SHARED = 2,
  // Every order of the writes has a cycle with it.
  TRIBUNAL_WHY_CYCLIC = 3,
  // No write of the value it reads can still be read, and none arrived in time.
  TRIBUNAL_WHY_UNWRITTEN = 4,
  // po ∪ rf has a cycle with it.
  TRIBUNAL_WHY_OUT_OF_THIN_AIR = 5,
  // The engines for whole executions found that no order of the writes explains it.
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
  // A fence, which has no location.
  TRIBUNAL_KIND_FENCE = 3,
} tribunal_kind;

// A memory order, as in C11.
typedef enum {
  // Synchronizes only through fences.
  TRIBUNAL_ORDER_RELAXED = 0,
  // Acquire.
  TRIBUNAL_ORDER_ACQUIRE = 1,
  // Release.
  TRIBUNAL_ORDER_RELEASE = 2,
  // Acquire and release.
  TRIBUNAL_ORDER_ACQ_REL = 3,
  // Sequentially consistent.
  TRIBUNAL_ORDER_SEQ_CST = 4,
  // A non-atomic access, which may take part in a data race. Not for RMWs and fences.
  TRIBUNAL_ORDER_NON_ATOMIC = 5,
} tribunal_order;

// How the source of a read or an RMW is given.
typedef enum {
  // By the value: the write of that value. If there are several, some choice must be consistent.
  TRIBUNAL_SOURCE_BY_VALUE = 0,
  // It reads the initial value.
  TRIBUNAL_SOURCE_INITIAL = 1,
  // It reads from the event at `from`.
  TRIBUNAL_SOURCE_EVENT = 2,
} tribunal_source;

// The type of a value.
typedef enum {
  // Nothing: the return value of a method without a result.
  TRIBUNAL_VALUE_KIND_NULL = 0,
  // A boolean: `number` is 0 or not.
  TRIBUNAL_VALUE_KIND_BOOL = 1,
  // A whole number, `number`.
  TRIBUNAL_VALUE_KIND_INT = 2,
  // A string, `text`.
  TRIBUNAL_VALUE_KIND_TEXT = 3,
} tribunal_value_kind;

// Builds memory histories.
typedef struct tribunal_builder tribunal_builder;

// An immutable history of a memory or an object.
typedef struct tribunal_history tribunal_history;

// Monitors a memory.
typedef struct tribunal_monitor tribunal_monitor;

// Builds object histories.
typedef struct tribunal_object_builder tribunal_object_builder;

// Reads the histories of a buffer or of a file, one by one.
typedef struct tribunal_reader tribunal_reader;

// An incremental execution with undo, which tells the writes that the next read may read from.
typedef struct tribunal_session tribunal_session;

// A flag that stops answers, from another thread or from a signal handler.
typedef struct tribunal_stop tribunal_stop;

// A verdict on a history. It keeps the history and is immutable, so several threads may use it at once. Its strings are
// valid as long as it is.
typedef struct tribunal_verdict tribunal_verdict;

// A thread of a builder, a monitor or a session, numbered from 0 in the order of creation.
typedef uint32_t tribunal_thread;

// A location of a builder, a monitor or a session, numbered from 0 in the order of creation.
typedef uint32_t tribunal_location;

// The position of an event: its thread, and the number of earlier events of the thread.
typedef struct {
  // The thread.
  tribunal_thread thread;
  // The position in the thread, from 0.
  uint32_t index;
} tribunal_place;

// An event of a memory. Made by `tribunal_read`, `tribunal_write`, `tribunal_rmw` and `tribunal_fence`, or field by field;
// all zeros is a relaxed read of 0.
typedef struct {
  // Its thread, whose next event it is.
  tribunal_thread thread;
  // Its location; ignored for a fence.
  tribunal_location location;
  // What it does.
  tribunal_kind kind;
  // Its memory order.
  tribunal_order order;
  // The value written, or read by a read that is not an RMW.
  uint64_t value;
  // The value that an RMW reads; ignored otherwise.
  uint64_t read;
  // How the source of a read or an RMW is given.
  tribunal_source source;
  // The source, if `source` says so.
  tribunal_place from;
} tribunal_event;

// An argument or a return value of an operation. Lists are only available in histories from files.
typedef struct {
  // What it is.
  tribunal_value_kind kind;
  // The number or the boolean.
  int64_t number;
  // The text, which is copied; ignored otherwise.
  const char *text;
} tribunal_value;

// Limits of an answer. All zeros, or NULL instead: the defaults of `tribunal check`.
typedef struct {
  // Milliseconds; 0: no limit.
  uint64_t timeout_ms;
  // Bytes in addition to the history; 0: three quarters of the machine's memory.
  size_t max_memory;
  // Search states; 0: ten million.
  uint64_t max_states;
  // Stops the answer when raised; may be NULL.
  const tribunal_stop *stop;
} tribunal_limits;

// A write of a session. The lower 32 bits are a small number, for your own tables: no two current writes have the same.
typedef uint64_t tribunal_write_id;

// A point of a session to go back to.
typedef uint64_t tribunal_mark;

// An event that makes the execution inconsistent with the model. The monitor continues without it.
typedef struct {
  // The number of events before it.
  uint64_t event;
  // Where it stands.
  tribunal_place place;
  // The reason.
  tribunal_why why;
} tribunal_violation;

// Called at an event that makes the execution inconsistent, with the `context` given to `tribunal_monitor_new`.
//
// It may ask the monitor for an explanation and for counts; calls that would change the monitor return INVALID. It must
// return normally: neither `longjmp` nor an exception may leave it.
typedef void (*tribunal_on_violation)(void *context,
                                      tribunal_monitor *monitor,
                                      const tribunal_violation *violation);

// What a monitor could not decide; all zeros if it decided everything.
typedef struct {
  // Reads that were skipped because several writes of their value could be read.
  uint64_t ambiguous;
  // Reads that were skipped because their thread came late and their source may have been retired.
  uint64_t late;
  // The number of events at the beginning that were not settled beyond saturation.
  uint64_t events;
  // Whether a limit was reached while settling.
  bool limited;
} tribunal_unsettled;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The library's version, such as `0.1.0`.
const char *tribunal_version(void);

// The message of the last call of this thread that failed; empty if none did.
//
// Valid until the next call of this thread fails.
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

// Creates a builder of memory histories.
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

// Adds the next event of its thread. `index` receives its position in the thread; it may be NULL.
tribunal_status tribunal_builder_push(tribunal_builder *builder, tribunal_event event, uint32_t *index);

// An event depends on an earlier read of its thread, given by its position.
tribunal_status tribunal_builder_depends(tribunal_builder *builder, tribunal_place event, uint32_t on);

// When an event began and ended; NULL if unknown.
tribunal_status tribunal_builder_interval(tribunal_builder *builder,
                                          tribunal_place event,
                                          const uint64_t *begin,
                                          const uint64_t *end);

// The final value of a location.
tribunal_status tribunal_builder_final(tribunal_builder *builder, tribunal_location location, uint64_t value);

// Builds the history. The builder is then empty, even if the history is malformed, and can be used again.
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

// Creates a builder of histories of an object with this specification: a built-in one such as `queue`, `stack`,
// `register` or `set`, or a file with the extension `.spec`.
tribunal_status tribunal_object_builder_new(const char *specification,
                                            tribunal_object_builder **builder);

// Names the history.
tribunal_status tribunal_object_builder_name(tribunal_object_builder *builder, const char *name);

// The process of this name, new or not. A process calls one method at a time.
tribunal_status tribunal_object_builder_process(tribunal_object_builder *builder,
                                                const char *name,
                                                uint32_t *process);

// A process calls a method with `count` arguments, at a time of a clock that all processes share. The operation is pending until it returns.
tribunal_status tribunal_object_builder_call(tribunal_object_builder *builder,
                                             uint32_t process,
                                             const char *method,
                                             const tribunal_value *arguments,
                                             size_t count,
                                             uint64_t time,
                                             uint32_t *operation);

// An operation returns a value, at this time.
tribunal_status tribunal_object_builder_return(tribunal_object_builder *builder,
                                               uint32_t operation,
                                               tribunal_value value,
                                               uint64_t time);

// Builds the history. The builder is then empty, even if the history is malformed, and can be used again.
tribunal_status tribunal_object_builder_build(tribunal_object_builder *builder, tribunal_history **history);

// Frees a builder. NULL is ignored.
void tribunal_object_builder_free(tribunal_object_builder *builder);

// The history's name, NULL if it has none. Valid as long as the history.
const char *tribunal_history_name(const tribunal_history *history);

// The number of events or, for an object, operations.
size_t tribunal_history_length(const tribunal_history *history);

// Whether this is an object history rather than a memory history.
bool tribunal_history_is_of_object(const tribunal_history *history);

// The history as native JSON on one line. Valid as long as the history.
const char *tribunal_history_json(const tribunal_history *history);

// Frees a history. NULL is ignored. Verdicts on it stay valid.
void tribunal_history_free(tribunal_history *history);

// Reads the histories of a buffer, which is copied.
//
// `name` is the file name in messages and verdicts, and its extension may determine the format; it may be NULL. `format` is `json`,
// `axe`, `text`, `edn` or `jepsen-log`, or NULL to recognize it. gzip and zstd are decompressed. `specification` is that of
// objects: a built-in name, a file with the extension `.spec`, or NULL for the one that each history names. `max_memory` is the limit for
// a history in bytes; 0: three quarters of the machine's memory.
tribunal_status tribunal_reader_new(const void *bytes,
                                    size_t length,
                                    const char *name,
                                    const char *format,
                                    const char *specification,
                                    size_t max_memory,
                                    tribunal_reader **reader);

// Reads the histories of a file, with one history in memory at a time. Otherwise like `tribunal_reader_new`.
tribunal_status tribunal_reader_open(const char *path,
                                     const char *format,
                                     const char *specification,
                                     size_t max_memory,
                                     tribunal_reader **reader);

// The next history; `TRIBUNAL_STATUS_END` at the end and after an error.
tribunal_status tribunal_reader_next(tribunal_reader *reader, tribunal_history **history);

// Frees a reader. NULL is ignored. Its histories stay valid.
void tribunal_reader_free(tribunal_reader *reader);

// Reads the only history of a buffer.
tribunal_status tribunal_history_parse(const void *bytes,
                                       size_t length,
                                       const char *format,
                                       tribunal_history **history);

// Lets the library hold so many bytes in all, for all histories, sessions and answers of the process together: beyond them answers
// become undecided. It never ends the process. The library must have been built with the feature `heap`, as released ones are; if
// it was not, this is INVALID.
tribunal_status tribunal_heap_allow(size_t bytes);

// Creates a lowered flag. If it is freed, running answers that use it continue.
tribunal_status tribunal_stop_new(tribunal_stop **stop);

// Stops all answers that use the flag: they become undecided, usually within milliseconds. May be called from any thread and
// from a signal handler.
void tribunal_stop_raise(const tribunal_stop *stop);

// Lowers the flag, for later answers.
void tribunal_stop_lower(const tribunal_stop *stop);

// Frees a flag. NULL is ignored.
void tribunal_stop_free(tribunal_stop *stop);

// Checks a history against a model.
//
// `model` is a memory model, such as `sc`, `tso` or `rc20`; a criterion of objects, such as `linearizable`; a file
// with the extension `.cat`, which is read at each call; or a pair, such as `po-mm=RR+RW;rf-mm=rfe`. `tribunal models` lists them. `limits` may be NULL.
// Undecided and unsupported are verdicts too: the call returns `TRIBUNAL_STATUS_OK`.
tribunal_status tribunal_check(const tribunal_history *history,
                               const char *model,
                               const tribunal_limits *limits,
                               tribunal_verdict **verdict);

// The verdict; undecided for NULL.
tribunal_word tribunal_verdict_word(const tribunal_verdict *verdict);

// The model or criterion.
const char *tribunal_verdict_model(const tribunal_verdict *verdict);

// The engine that decided; NULL if the model does not apply.
const char *tribunal_verdict_engine(const tribunal_verdict *verdict);

// The time to decide, in microseconds.
uint64_t tribunal_verdict_micros(const tribunal_verdict *verdict);

// Whether the history has a data race, under a model that defines them.
bool tribunal_verdict_is_racy(const tribunal_verdict *verdict);

// Why there is no answer; NULL if there is one.
const char *tribunal_verdict_reason(const tribunal_verdict *verdict);

// The verdict and its reason as text, as `tribunal explain` prints it.
const char *tribunal_verdict_text(const tribunal_verdict *verdict);

// The verdict and its certificate as a line of JSON, as `tribunal check --style json --witness` prints it and `tribunal verify` reads it.
const char *tribunal_verdict_json(const tribunal_verdict *verdict);

// The certificate as JSON: a witness if the verdict is consistent, a violation if it is inconsistent; otherwise NULL.
const char *tribunal_verdict_certificate(const tribunal_verdict *verdict);

// Verifies the certificate against the definitions, without the engine that produced it. If it is not accepted outright, `tribunal_last_error`
// says why. `limits` may be NULL.
tribunal_verification tribunal_verdict_verify(const tribunal_verdict *verdict,
                                              const tribunal_limits *limits);

// Frees a verdict and its strings. NULL is ignored.
void tribunal_verdict_free(tribunal_verdict *verdict);

// Creates a session for rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
//
// Under ra, wra and relaxed, rc20 and rc11 without seq_cst, and sra without RMWs, a step is accepted if and only if the
// execution with it is consistent. Otherwise a refused step is inconsistent, but an accepted one may be, too;
// `tribunal_session_settle` or an exact session decides.
tribunal_status tribunal_session_new(const char *model,
                                     tribunal_session **session);

// Creates a session whose steps and candidates are exact for every model, for executions of a few dozen events. It keeps all
// events, and does not support `tribunal_session_write_after`.
tribunal_status tribunal_session_exact(const char *model,
                                       tribunal_session **session);

// Frees a session. NULL is ignored.
void tribunal_session_free(tribunal_session *session);

// A new thread that is not ordered with any other.
tribunal_status tribunal_session_thread(tribunal_session *session, tribunal_thread *thread);

// A new thread that knows what its parent knows.
tribunal_status tribunal_session_spawn(tribunal_session *session,
                                       tribunal_thread parent,
                                       tribunal_thread *child);

// The parent learns what the child knows. This finishes the child.
tribunal_status tribunal_session_join(tribunal_session *session,
                                      tribunal_thread parent,
                                      tribunal_thread child);

// The thread has no more events, so nothing is kept for it to read.
tribunal_status tribunal_session_finish(tribunal_session *session, tribunal_thread thread);

// A new location, with its initial write.
tribunal_status tribunal_session_location(tribunal_session *session, tribunal_location *location);

// The initial write of a location; `TRIBUNAL_STATUS_END` if it is retired.
tribunal_status tribunal_session_initial(tribunal_session *session,
                                         tribunal_location location,
                                         tribunal_write_id *write);

// The thread writes the location. This always succeeds.
tribunal_status tribunal_session_write(tribunal_session *session,
                                       tribunal_thread thread,
                                       tribunal_location location,
                                       tribunal_order order,
                                       tribunal_write_id *write);

// The thread reads from a write. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then unchanged.
tribunal_status tribunal_session_read(tribunal_session *session,
                                      tribunal_thread thread,
                                      tribunal_write_id from,
                                      tribunal_order order);

// The thread reads from a write and overwrites it in one step. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot; the session is then unchanged.
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
// `writes` has room for `capacity` writes and receives as many as fit. `count` receives their number; if it exceeds the
// capacity, call again with a larger array. With a capacity of 0, `writes` may be NULL.
tribunal_status tribunal_session_candidates(tribunal_session *session,
                                            tribunal_thread thread,
                                            tribunal_location location,
                                            tribunal_order order,
                                            tribunal_write_id *writes,
                                            size_t capacity,
                                            size_t *count);

// The candidates that no RMW reads from, so that the thread's next event may be an RMW that does. The array is as for
// `tribunal_session_candidates`.
tribunal_status tribunal_session_rmw_candidates(tribunal_session *session,
                                                tribunal_thread thread,
                                                tribunal_location location,
                                                tribunal_order order,
                                                tribunal_write_id *writes,
                                                size_t capacity,
                                                size_t *count);

// The writes of a location directly after which mo may have a new write of the thread; exact if every write of the location was
// placed this way. None under wra, which has no mo. The array is as for `tribunal_session_candidates`.
tribunal_status tribunal_session_positions(tribunal_session *session,
                                           tribunal_thread thread,
                                           tribunal_location location,
                                           tribunal_order order,
                                           tribunal_write_id *writes,
                                           size_t capacity,
                                           size_t *count);

// The thread writes the location, directly after `after` in mo. `TRIBUNAL_STATUS_INCONSISTENT` if it cannot. For callers that choose mo
// themselves; not in an exact session.
tribunal_status tribunal_session_write_after(tribunal_session *session,
                                             tribunal_thread thread,
                                             tribunal_location location,
                                             tribunal_order order,
                                             tribunal_write_id after,
                                             tribunal_write_id *write);

// Why the latest refused step was refused; forgotten when the session goes back. `by` receives the conflicting write, if
// there is one. `tribunal_session_refutation` has the full proof.
tribunal_because tribunal_session_refusal(const tribunal_session *session,
                                          tribunal_write_id *by);

// A point to go back to, any number of times.
tribunal_status tribunal_session_mark(tribunal_session *session, tribunal_mark *mark);

// Goes back to a mark, discarding the events, threads, locations and marks since then. Their ids will be used again.
tribunal_status tribunal_session_undo(tribunal_session *session,
                                      tribunal_mark mark);

// Drops what can no longer be observed; `events` receives the number of events dropped. Marks become void. Call it occasionally in
// an endless session, for example when the number of events has doubled since the last time.
tribunal_status tribunal_session_retire(tribunal_session *session,
                                        uint64_t *events);

// The position of a write in its thread; `TRIBUNAL_STATUS_END` if it is initial.
tribunal_status tribunal_session_place(tribunal_session *session,
                                       tribunal_write_id write,
                                       tribunal_place *place);

// The location of a write.
tribunal_status tribunal_session_location_of(tribunal_session *session,
                                             tribunal_write_id write,
                                             tribunal_location *location);

// How many events of `of` happen before the next event of `thread`. Not under sc, tso and pso, which have no happens-before.
tribunal_status tribunal_session_known(tribunal_session *session,
                                       tribunal_thread thread,
                                       tribunal_thread of,
                                       uint32_t *events);

// The number of events, including retired ones.
uint64_t tribunal_session_length(const tribunal_session *session);

// The memory use in bytes.
size_t tribunal_session_bytes(const tribunal_session *session);

// The execution so far, or what remains of it: threads T0, T1, ..., locations x0, x1, ...; the n-th write of a location writes n.
tribunal_status tribunal_session_history(tribunal_session *session,
                                         tribunal_history **history);

// Decides the execution so far with the engines for whole executions. `limits` may be NULL.
tribunal_status tribunal_session_settle(tribunal_session *session,
                                        const tribunal_limits *limits,
                                        tribunal_verdict **verdict);

// The verdict of the engines for whole executions on the execution with the latest refused step: the proof that it is inconsistent.
// `TRIBUNAL_STATUS_END` if no step was refused since the session last went back.
tribunal_status tribunal_session_refutation(tribunal_session *session,
                                            const tribunal_limits *limits,
                                            tribunal_verdict **verdict);

// Creates a monitor for rc20, rc11, ra, relaxed, wra, sra, sc, tso or pso.
//
// A read may come up to `window` events before the write it reads from. `limits` apply to each settling and each explanation, and to
// the memory of the monitor; NULL: the defaults. `callback` is called with `context` at every violation; it may be
// NULL, since a call that finds a violation also returns `TRIBUNAL_STATUS_INCONSISTENT`.
tribunal_status tribunal_monitor_new(const char *model,
                                     uint64_t window,
                                     const tribunal_limits *limits,
                                     tribunal_on_violation callback,
                                     void *context,
                                     tribunal_monitor **monitor);

// The thread with this name, new or not. Create threads before events come: what a late thread reads may be gone.
tribunal_status tribunal_monitor_thread(tribunal_monitor *monitor,
                                        const char *name,
                                        tribunal_thread *thread);

// The location of this name, new or not, with its initial value.
tribunal_status tribunal_monitor_location(tribunal_monitor *monitor,
                                          const char *name,
                                          uint64_t initial,
                                          tribunal_location *location);

// Adds the next event of a thread.
//
// `TRIBUNAL_STATUS_INCONSISTENT` if it, or an event that waited for it, makes the execution inconsistent; the callback has then
// been called, and the monitor continues without that event. `TRIBUNAL_STATUS_LIMIT` if the monitor would exceed its memory limit: the event
// was not added.
tribunal_status tribunal_monitor_push(tribunal_monitor *monitor,
                                      tribunal_event event);

// Decides the latest events now with the engines for whole executions, if the monitor is not exact: under sc, tso and pso,
// sra with RMWs, rc20 and rc11 with seq_cst. The monitor also does so from time to time, and when it is finished.
tribunal_status tribunal_monitor_settle(tribunal_monitor *monitor);

// There are no more events: reads whose writes have not come are violations, and the rest is settled.
tribunal_status tribunal_monitor_finish(tribunal_monitor *monitor);

// The latest violation as text: the event, the reason, and a minimal part of the execution that shows it. NULL if
// the last event was not a violation. Valid until the next event.
const char *tribunal_monitor_explain(tribunal_monitor *monitor);

// The number of violations found.
uint64_t tribunal_monitor_violations(const tribunal_monitor *monitor);

// The number of events so far.
uint64_t tribunal_monitor_events(const tribunal_monitor *monitor);

// The approximate memory use in bytes.
size_t tribunal_monitor_bytes(const tribunal_monitor *monitor);

// What could not be decided so far. If the monitor is finished, has found no violation and all of this is zero, the execution is consistent.
tribunal_unsettled tribunal_monitor_unsettled(const tribunal_monitor *monitor);

// Frees a monitor. NULL is ignored. Must not be called from its callback.
void tribunal_monitor_free(tribunal_monitor *monitor);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRIBUNAL_H */
