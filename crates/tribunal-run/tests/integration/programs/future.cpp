// A promise is kept by another thread.
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread giver([&] { promise.set_value(7); });
    assert(future.get() == 7);
    giver.join();
}
