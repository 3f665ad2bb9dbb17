// A barrier of C++.
#include <barrier>
#include <cassert>
#include <thread>

static std::barrier barrier(2);
static int written[2];

static void meet(int me) {
    written[me] = 1;
    barrier.arrive_and_wait();
    assert(written[1 - me] == 1);
}

int main() {
    std::thread other(meet, 1);
    meet(0);
    other.join();
}
