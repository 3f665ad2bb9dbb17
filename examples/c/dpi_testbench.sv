// A testbench in SystemVerilog: a core that reads its own write too late.
//
// With Verilator: verilator --binary dpi_testbench.sv dpi.c -CFLAGS "$(pkg-config --cflags tribunal)" -LDFLAGS "$(pkg-config --libs tribunal)"
`include "tribunal_dpi.svh"

module dpi_testbench;
  import tribunal_dpi::*;

  chandle monitor;
  int unsigned core0, x;

  task automatic expect_status(input int status, input status_t expected);
    if (status != TRIBUNAL_OK) $display("%s", tribunal_dpi_message(monitor));
    if (status != expected) $fatal(1, "the status is %0d", status);
  endtask

  initial begin
    monitor = tribunal_dpi_new("tso", 1000);
    core0 = tribunal_dpi_thread(monitor, "core0");
    x = tribunal_dpi_location(monitor, "x", 0);
    expect_status(tribunal_dpi_write(monitor, core0, x, 1, TRIBUNAL_RELAXED), TRIBUNAL_OK);
    expect_status(tribunal_dpi_rmw(monitor, core0, x, 1, 2, TRIBUNAL_SEQ_CST), TRIBUNAL_OK);
    expect_status(tribunal_dpi_fence(monitor, core0, TRIBUNAL_SEQ_CST), TRIBUNAL_OK);
    expect_status(tribunal_dpi_read(monitor, core0, x, 0, TRIBUNAL_RELAXED), TRIBUNAL_INCONSISTENT);
    expect_status(tribunal_dpi_finish(monitor), TRIBUNAL_OK);
    tribunal_dpi_free(monitor);
    $finish;
  end
endmodule
