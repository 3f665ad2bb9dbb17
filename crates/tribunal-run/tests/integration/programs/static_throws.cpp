// The first attempt to initialize it fails.
#include <cassert>
#include <mutex>

static int tries;

static int attempt() {
    if (tries++ == 0) throw 1;
    return 7;
}

static int use() {
    static int value = attempt();
    return value;
}

int main() {
    try {
        use();
        assert(false);
    } catch (int) {
    }
    assert(use() == 7 && tries == 2);
    std::once_flag once;
    int calls = 0;
    try {
        std::call_once(once, [&] { calls++; throw 2; });
    } catch (int) {
    }
    std::call_once(once, [&] { calls++; });
    std::call_once(once, [&] { calls++; });
    assert(calls == 2);
}
