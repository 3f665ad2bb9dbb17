// A monitor of a memory for SystemVerilog testbenches: the imports of tribunal_dpi.h.
//
//   import tribunal_dpi::*;
//   chandle monitor = tribunal_dpi_new("tso", 1000);
//   int unsigned core0 = tribunal_dpi_thread(monitor, "core0");
//   int unsigned x = tribunal_dpi_location(monitor, "x", 0);
//   // as the design commits:
//   if (tribunal_dpi_write(monitor, core0, x, data, TRIBUNAL_RELAXED) != TRIBUNAL_OK)
//     $error("%s", tribunal_dpi_message(monitor));
//   // at the end:
//   if (tribunal_dpi_finish(monitor) != TRIBUNAL_OK) $error("%s", tribunal_dpi_message(monitor));
//   tribunal_dpi_free(monitor);
//
// Compile dpi.c with the testbench and link it with `pkg-config --cflags --libs tribunal`; for Questa and Xcelium as a shared
// library, for VCS and Verilator beside the sources.
`ifndef TRIBUNAL_DPI_SVH
`define TRIBUNAL_DPI_SVH

package tribunal_dpi;

  // How a call ended: tribunal_status of tribunal.h.
  typedef enum int {
    TRIBUNAL_OK = 0,
    TRIBUNAL_INCONSISTENT = 1,
    TRIBUNAL_END = 2,
    TRIBUNAL_INVALID = 3,
    TRIBUNAL_MALFORMED = 4,
    TRIBUNAL_LIMIT = 5,
    TRIBUNAL_BROKEN = 6
  } status_t;

  // Memory orders: tribunal_order of tribunal.h.
  typedef enum int {
    TRIBUNAL_RELAXED = 0,
    TRIBUNAL_ACQUIRE = 1,
    TRIBUNAL_RELEASE = 2,
    TRIBUNAL_ACQ_REL = 3,
    TRIBUNAL_SEQ_CST = 4,
    TRIBUNAL_NON_ATOMIC = 5
  } order_t;

  import "DPI-C" function chandle tribunal_dpi_new(input string model, input longint unsigned window);
  import "DPI-C" function void tribunal_dpi_free(input chandle monitor);
  import "DPI-C" function int unsigned tribunal_dpi_thread(input chandle monitor, input string name);
  import "DPI-C" function int unsigned tribunal_dpi_location(input chandle monitor, input string name, input longint unsigned initial_value);
  import "DPI-C" function int tribunal_dpi_write(input chandle monitor, input int unsigned thread, input int unsigned location, input longint unsigned value, input int order);
  import "DPI-C" function int tribunal_dpi_read(input chandle monitor, input int unsigned thread, input int unsigned location, input longint unsigned value, input int order);
  import "DPI-C" function int tribunal_dpi_rmw(input chandle monitor, input int unsigned thread, input int unsigned location, input longint unsigned value_read, input longint unsigned value_written, input int order);
  import "DPI-C" function int tribunal_dpi_fence(input chandle monitor, input int unsigned thread, input int order);
  import "DPI-C" function int tribunal_dpi_finish(input chandle monitor);
  import "DPI-C" function string tribunal_dpi_message(input chandle monitor);

endpackage

`endif
