#include <unistd.h>

int main() { return fork() < 0; }
