// An exception comes out of an asynchronous call.
#include <cassert>
#include <future>

int main() {
    auto future = std::async(std::launch::async, []() -> int { throw 7; });
    try {
        future.get();
        assert(false);
    } catch (int value) {
        assert(value == 7);
    }
}
