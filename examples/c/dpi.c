/* The imports of tribunal_dpi.svh, on the monitor of tribunal.h. C and C++ alike, since some simulators compile it as C++. */
#include "tribunal_dpi.h"
#include <tribunal.h>

void *tribunal_dpi_new(const char *model, uint64_t window) {
    tribunal_monitor *monitor;
    tribunal_monitor_new(model, window, NULL, NULL, NULL, &monitor);
    return monitor;
}

void tribunal_dpi_free(void *monitor) { tribunal_monitor_free((tribunal_monitor *)monitor); }

uint32_t tribunal_dpi_thread(void *monitor, const char *name) {
    tribunal_thread thread = UINT32_MAX;
    tribunal_monitor_thread((tribunal_monitor *)monitor, name, &thread);
    return thread;
}

uint32_t tribunal_dpi_location(void *monitor, const char *name, uint64_t initial_value) {
    tribunal_location location = UINT32_MAX;
    tribunal_monitor_location((tribunal_monitor *)monitor, name, initial_value, &location);
    return location;
}

int32_t tribunal_dpi_write(void *monitor, uint32_t thread, uint32_t location, uint64_t value, int32_t order) {
    return tribunal_monitor_push((tribunal_monitor *)monitor, tribunal_write(thread, location, value, (tribunal_order)order));
}

int32_t tribunal_dpi_read(void *monitor, uint32_t thread, uint32_t location, uint64_t value, int32_t order) {
    return tribunal_monitor_push((tribunal_monitor *)monitor, tribunal_read(thread, location, value, (tribunal_order)order));
}

int32_t tribunal_dpi_rmw(void *monitor, uint32_t thread, uint32_t location, uint64_t value_read, uint64_t value_written, int32_t order) {
    return tribunal_monitor_push((tribunal_monitor *)monitor, tribunal_rmw(thread, location, value_read, value_written, (tribunal_order)order));
}

int32_t tribunal_dpi_fence(void *monitor, uint32_t thread, int32_t order) {
    return tribunal_monitor_push((tribunal_monitor *)monitor, tribunal_fence(thread, (tribunal_order)order));
}

int32_t tribunal_dpi_finish(void *monitor) { return tribunal_monitor_finish((tribunal_monitor *)monitor); }

const char *tribunal_dpi_message(void *monitor) {
    const char *violation = monitor ? tribunal_monitor_explain((tribunal_monitor *)monitor) : NULL;
    return violation ? violation : tribunal_last_error();
}
