// Two threads throw exceptions, which they share nothing for.
#include <cassert>
#include <thread>

static void raise(int value) {
    try {
        throw value;
    } catch (int caught) {
        assert(caught == value);
    }
}

int main() {
    std::thread first(raise, 1), second(raise, 2);
    first.join();
    second.join();
}
