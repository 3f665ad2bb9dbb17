// A semaphore of C++.
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> places(0);
static int value;

int main() {
    std::thread giver([] {
        value = 1;
        places.release();
    });
    places.acquire();
    assert(value == 1);
    giver.join();
}
