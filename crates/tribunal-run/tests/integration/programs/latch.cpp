// A latch: main waits until the other has counted down.
#include <cassert>
#include <latch>
#include <thread>

static std::latch latch(1);
static int value;

int main() {
    std::thread giver([] {
        value = 1;
        latch.count_down();
    });
    latch.wait();
    assert(value == 1);
    giver.join();
}
