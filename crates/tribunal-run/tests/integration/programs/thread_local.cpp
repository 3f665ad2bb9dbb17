// Variables of threads are destroyed when these end.
#include <cassert>
#include <thread>

static int gone;

struct Thing {
    int value = 7;
    ~Thing() { gone++; }
};

static thread_local Thing thing;

int main() {
    std::thread other([] { thing.value = 8; });
    other.join();
    assert(gone == 1 && thing.value == 7);
}
