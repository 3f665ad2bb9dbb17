// Atomics of sizes that processors do not have, and of 16 bytes.
#include <atomic>
#include <cassert>
#include <thread>

struct Large {
    long words[3];
    bool operator==(const Large &) const = default;
};
struct Wide {
    alignas(16) long words[2];
};

static std::atomic<Large> large;
static std::atomic<Wide> wide;

int main() {
    std::thread other([] {
        large.store({1, 2, 3});
        wide.store({4, 5});
    });
    Wide seen = wide.load();
    Large content = large.load();
    if (seen.words[0] == 4) assert(seen.words[1] == 5 && content.words[2] == 3);
    other.join();
    Large expected{1, 2, 3};
    assert(large.compare_exchange_strong(expected, {6, 7, 8}));
    assert(large.exchange({0, 0, 0}).words[1] == 7);
}
