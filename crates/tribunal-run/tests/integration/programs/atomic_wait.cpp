// A thread waits for an atomic to change.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> flag;
static int value;

int main() {
    std::thread giver([] {
        value = 1;
        flag.store(1);
        flag.notify_one();
    });
    flag.wait(0, std::memory_order_acquire);
    assert(value == 1);
    giver.join();
}
