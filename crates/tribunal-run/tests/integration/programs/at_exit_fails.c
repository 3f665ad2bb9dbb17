// A handler finds something wrong.
#include <assert.h>
#include <stdlib.h>

static int value;

static void check() { assert(value == 0); }

int main() {
    atexit(check);
    value = 1;
    exit(0);
}
