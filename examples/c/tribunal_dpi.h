/* A monitor of a memory for SystemVerilog testbenches: what tribunal_dpi.svh imports.
 *
 * The types are those that IEEE 1800, annex H, gives the C side, all of them plain C, so that svdpi.h is not needed:
 *
 *   chandle            void *
 *   string             const char *
 *   int                int32_t
 *   int unsigned       uint32_t
 *   longint unsigned   uint64_t
 *
 * Values are two-state and of 64 bits: a testbench turns a wider or a four-state value into one of its own choice first. A string that is
 * given is valid until the next call, as a simulator copies it at once. None of the imports is pure, and none needs a context.
 */
#ifndef TRIBUNAL_DPI_H
#define TRIBUNAL_DPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A monitor, or null if there is no such model; tribunal_dpi_message(null) then says why. */
void *tribunal_dpi_new(const char *model, uint64_t window);
void tribunal_dpi_free(void *monitor);

/* The number of a thread or a location, new or not; 4294967295 if there is an error. */
uint32_t tribunal_dpi_thread(void *monitor, const char *name);
uint32_t tribunal_dpi_location(void *monitor, const char *name, uint64_t initial_value);

/* An event has come: how it ended, as status_t says. */
int32_t tribunal_dpi_write(void *monitor, uint32_t thread, uint32_t location, uint64_t value, int32_t order);
int32_t tribunal_dpi_read(void *monitor, uint32_t thread, uint32_t location, uint64_t value, int32_t order);
int32_t tribunal_dpi_rmw(void *monitor, uint32_t thread, uint32_t location, uint64_t value_read, uint64_t value_written, int32_t order);
int32_t tribunal_dpi_fence(void *monitor, uint32_t thread, int32_t order);

/* No more events come. */
int32_t tribunal_dpi_finish(void *monitor);

/* After INCONSISTENT, the violation and why it is one; after an error, what is wrong. */
const char *tribunal_dpi_message(void *monitor);

#ifdef __cplusplus
}
#endif

#endif
