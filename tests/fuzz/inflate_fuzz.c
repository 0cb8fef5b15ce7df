/* Feeds damaged deflate streams to tb_perfcompare/sources/native/inflate.c, in portions, each in memory of its exact size.

   Built with sanitizers by `python -m tests.fuzz`. Sound streams have to give the same bytes however they are divided. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "checksum.c"
#include "inflate.c"

#define MUST(condition)                                                   \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);       \
            abort();                                                      \
        }                                                                 \
    } while (0)

enum { MOST_BYTES = 1 << 16, MOST_OUTPUT = 1 << 20 };

static uint64_t state = 88172645463325252ULL;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

/* Inflates all of data[:size] in portions of input and room; how it ended, and *total bytes of which *sum is a digest. */
static InflatedEnd inflate_in_portions(const uint8_t *data, size_t size, size_t portion, size_t room, size_t *total,
                                       uint64_t *sum)
{
    Inflate *inflate = malloc(sizeof *inflate);
    size_t at = 0, given = portion < size ? portion : size;
    InflatedEnd how = INFLATED_ROOM;
    uint32_t check = 0;
    MUST(inflate != NULL);
    inflate_start(inflate);
    *total = 0;
    *sum = 14695981039346656037ULL;
    while (*total < MOST_OUTPUT) {
        uint8_t *input = malloc(given - at + 1), *output = malloc(room); /* one byte more: malloc(0) may be NULL */
        size_t used = 0, written = 0;
        MUST(input != NULL && output != NULL);
        memcpy(input + 1, data + at, given - at);
        how = inflate_some(inflate, input + 1, given - at, given == size, &used, output, room, &written);
        MUST(used <= given - at && written <= room);
        MUST(how != INFLATED_ROOM || written == room);
        for (size_t i = 0; i < written; i++) {
            *sum = (*sum ^ output[i]) * 1099511628211ULL;
        }
        check = has_checksum() ? checksum_of(check, output, written) : 0;
        free(output);
        free(input);
        at += used;
        *total += written;
        if (how == INFLATED_INPUT && given < size) {
            given = size - given > portion ? given + portion : size;
        } else if (how != INFLATED_ROOM) {
            break;
        }
    }
    *sum ^= check;
    free(inflate);
    return how;
}

static size_t mutate(uint8_t *data, size_t size)
{
    const size_t at = size ? draw((unsigned)size) : 0;
    switch (draw(5)) {
    case 0:
        return size && draw(3) == 0 ? at : size;
    case 1:
        if (size) {
            data[at] = (uint8_t)draw(256);
        }
        return size;
    case 2:
        if (size) {
            const size_t length = draw(20) % (size - at + 1);
            memmove(data + at, data + at + length, size - at - length);
            return size - length;
        }
        return size;
    default:
        if (size) {
            data[draw(3) ? at : draw(size < 100 ? (unsigned)size : 100)] ^= (uint8_t)(1 << draw(8));
        }
        return size;
    }
}

/* inflate_fuzz SECONDS FILE...: raw deflate streams */
int main(int count, char **arguments)
{
    static uint8_t data[MOST_BYTES], seed[MOST_BYTES];
    const time_t end = time(NULL) + atoi(count > 1 ? arguments[1] : "10");
    long runs = 0;
    state ^= (uint64_t)time(NULL) << 20;
    while (time(NULL) < end && count > 2) {
        FILE *file = fopen(arguments[2 + draw((unsigned)count - 2)], "rb");
        MUST(file != NULL);
        const size_t read = fread(seed, 1, MOST_BYTES, file);
        fclose(file);
        for (int i = 0; i < 50; i++) {
            size_t size = read, totals[2];
            uint64_t sums[2];
            memcpy(data, seed, read);
            for (unsigned changes = draw(5); changes > 0; changes--) {
                size = mutate(data, size);
            }
            const InflatedEnd whole = inflate_in_portions(data, size, size + 1, MOST_OUTPUT + 300, &totals[0], &sums[0]);
            const InflatedEnd parts =
                inflate_in_portions(data, size, 1 + draw(draw(2) ? 5000 : 700), 1 + draw(draw(3) ? 70000 : 500), &totals[1],
                                    &sums[1]);
            if (totals[0] < MOST_OUTPUT && totals[1] < MOST_OUTPUT) {
                MUST(whole == parts && totals[0] == totals[1] && sums[0] == sums[1]);
            }
            runs++;
        }
    }
    printf("%ld inputs, nothing found\n", runs);
    return count > 2 ? 0 : 2;
}
