// The same with a release store: libstdc++ asks whether somebody waits before the store can be seen, and does not wake. x86 does that, too.
#include <atomic>
#include <thread>

static std::atomic<int> flag;

int main() {
    std::thread giver([] {
        flag.store(1, std::memory_order_release);
        flag.notify_one();
    });
    flag.wait(0, std::memory_order_acquire);
    giver.join();
}
