/* The calls that a SystemVerilog testbench makes through tribunal_dpi.svh, without a simulator: a core that reads its own write too late. */
#include "tribunal_dpi.h"
#include <stdio.h>

int main(void) {
    enum { OK = 0, INCONSISTENT = 1, RELAXED = 0 };
    if (tribunal_dpi_new("tos", 1000) != NULL) return 1;
    printf("%s\n", tribunal_dpi_message(NULL));

    void *monitor = tribunal_dpi_new("tso", 1000);
    uint32_t core0 = tribunal_dpi_thread(monitor, "core0");
    uint32_t x = tribunal_dpi_location(monitor, "x", 0);
    int right = tribunal_dpi_write(monitor, core0, x, 1, RELAXED) == OK &&
                tribunal_dpi_read(monitor, core0, x, 0, RELAXED) == INCONSISTENT;
    printf("%s", tribunal_dpi_message(monitor));
    right = right && tribunal_dpi_finish(monitor) == OK;
    tribunal_dpi_free(monitor);
    return right ? 0 : 1;
}
