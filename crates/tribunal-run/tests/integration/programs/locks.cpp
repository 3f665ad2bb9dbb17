// Locks of C++: each thread adds one under each of them.
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex plain;
static std::recursive_mutex recursive;
static std::timed_mutex timed;
static int count;

static void add() {
    std::scoped_lock both(plain, recursive);
    std::lock_guard again(recursive);
    if (timed.try_lock_for(std::chrono::seconds(1))) {
        count++;
        timed.unlock();
    }
}

int main() {
    std::jthread other(add);
    add();
    other.join();
    assert(count == 2);
    std::shared_timed_mutex shared;
    assert(shared.try_lock_shared_for(std::chrono::seconds(1)));
    assert(!shared.try_lock_for(std::chrono::seconds(1)));
    shared.unlock_shared();
}
