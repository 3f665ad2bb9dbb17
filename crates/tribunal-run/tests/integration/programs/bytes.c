// Functions on bytes and texts do what they should.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char text[32];
static volatile size_t four = 4;

int main() {
    strcpy(text, "abcd");
    assert(strlen(text) == four);
    strcat(text, "efgh");
    assert(strcmp(text, "abcdefgh") == 0 && strncmp(text, "abcx", four - 1) == 0);
    memmove(text + 2, text, four);
    assert(memcmp(text, "ababcdgh", 2 * four) == 0);
    memset(text, 'z', four);
    assert(memchr(text, 'c', 2 * four) == text + 4);
    strncpy(text, "hello", four);
    char *copy = strdup(text);
    assert(strcmp(copy, "hellcdgh") == 0);
    free(copy);
}
