// A static variable of a function, initialized by whoever comes first; the destructor runs at the end.
#include <cassert>
#include <thread>

static int made, gone;

struct Thing {
    int value;
    Thing() : value(7) { made++; }
    ~Thing() { gone++; assert(gone == 1); }
};

static int use() {
    static Thing thing;
    return thing.value;
}

int main() {
    std::thread other([] { assert(use() == 7); });
    assert(use() == 7);
    other.join();
    assert(made == 1);
}
