// Condition variables of C++: one waits, one waits for a second.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static bool ready;

int main() {
    std::thread giver([] {
        std::lock_guard guard(mutex);
        ready = true;
        condition.notify_all();
    });
    {
        std::unique_lock guard(mutex);
        condition.wait(guard, [] { return ready; });
        assert(!condition.wait_for(guard, std::chrono::seconds(1), [] { return false; }));
    }
    giver.join();
}
