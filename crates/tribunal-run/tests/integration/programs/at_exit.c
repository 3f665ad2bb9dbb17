// Handlers run when main returns, the last one first.
#include <assert.h>
#include <stdlib.h>

static int called;

static void first() { assert(called++ == 1); }
static void second() { assert(called++ == 0); }
static void third() { assert(called == 0); }

int main() {
    atexit(first);
    atexit(second);
    atexit(third);
    return 0;
}
