#include "tokens.h"

#include <float.h>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define HAS_EXACT_DOUBLES 1
#else
#define HAS_EXACT_DOUBLES 0 /* registers may hold more than a double: the division would round twice */
#endif

static const uint64_t TEN_TO[19] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
};

/* -- strings ------------------------------------------------------------------------------------------------------- */

/* The next quote, backslash or control character; sets `is_wide` for bytes beyond ASCII before it. */
static Text next_special(Text at, Text end, bool *is_wide)
{
#if HAS_SSE2
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last_control = _mm_set1_epi8(0x1f);
    while (end - at >= 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
        const __m128i mark = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        const unsigned special = (unsigned)_mm_movemask_epi8(_mm_or_si128(mark, control));
        const unsigned wide = (unsigned)_mm_movemask_epi8(bytes);
        if (special != 0) {
            *is_wide |= (wide & (special ^ (special - 1))) != 0;
            return at + lowest_bit(special);
        }
        *is_wide |= wide != 0;
        at += 16;
    }
#else
    const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
    while (end - at >= 8) {
        const uint64_t bytes = load64(at);
        const uint64_t quote = bytes ^ (ones * '"'), backslash = bytes ^ (ones * '\\');
        uint64_t special = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | (bytes - ones * 0x20);
        *is_wide |= (bytes & tops) != 0;
        if ((special & ~bytes & tops) != 0) {
            break;
        }
        at += 8;
    }
#endif
    while (at < end && *at != '"' && *at != '\\' && *at >= 0x20) {
        *is_wide |= *at >= 0x80;
        at++;
    }
    return at;
}

static bool is_utf8(Text at, Text end)
{
    while (at < end) {
        const uint8_t first = *at++;
        size_t more;
        uint8_t low = 0x80, high = 0xbf; /* bounds of the second byte: no overlong forms, no surrogates */
        if (first < 0x80) {
            continue;
        } else if (first >= 0xc2 && first <= 0xdf) {
            more = 1;
        } else if (first >= 0xe0 && first <= 0xef) {
            more = 2;
            low = first == 0xe0 ? 0xa0 : low;
            high = first == 0xed ? 0x9f : high;
        } else if (first >= 0xf0 && first <= 0xf4) {
            more = 3;
            low = first == 0xf0 ? 0x90 : low;
            high = first == 0xf4 ? 0x8f : high;
        } else {
            return false;
        }
        if ((size_t)(end - at) < more || *at < low || *at > high) {
            return false;
        }
        for (size_t i = 1; i < more; i++) {
            if (at[i] < 0x80 || at[i] > 0xbf) {
                return false;
            }
        }
        at += more;
    }
    return true;
}

/* The value of the four hexadecimal digits at `at`, -1 if there are not four. */
static int32_t hex4(Text at, Text end)
{
    int32_t value = 0;
    if (end - at < 4) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        const uint8_t byte = at[i], lower = byte | 0x20;
        if (is_digit(byte)) {
            value = value * 16 + (byte - '0');
        } else if (lower >= 'a' && lower <= 'f') {
            value = value * 16 + (lower - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

/* The end of the escape whose backslash is at `at`; NULL for an invalid one, also for half a surrogate pair. */
static Text read_escape(Text at, Text end)
{
    if (end - at < 2) {
        return NULL;
    }
    switch (at[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return at + 2;
    case 'u':
        break;
    default:
        return NULL;
    }
    const int32_t unit = hex4(at + 2, end);
    at += 6;
    if (unit < 0 || (unit >= 0xdc00 && unit <= 0xdfff)) {
        return NULL;
    }
    if (unit >= 0xd800 && unit <= 0xdbff) {
        if (end - at < 6 || at[0] != '\\' || at[1] != 'u') {
            return NULL;
        }
        const int32_t second = hex4(at + 2, end);
        if (second < 0xdc00 || second > 0xdfff) {
            return NULL;
        }
        at += 6;
    }
    return at;
}

Text read_string(Text at, Text end, bool *is_escaped)
{
    const Text start = at + 1;
    bool is_wide = false;
    *is_escaped = false;
    for (at = start;;) {
        at = next_special(at, end, &is_wide);
        if (at == end || *at < 0x20) {
            return NULL;
        }
        if (*at == '"') {
            return !is_wide || is_utf8(start, at) ? at + 1 : NULL;
        }
        *is_escaped = true;
        at = read_escape(at, end);
        if (at == NULL) {
            return NULL;
        }
    }
}

bool string_equals(const Token *token, const char *text, size_t size)
{
    Text at = token->at + 1;
    const Text end = token->at + token->size - 1;
    if (!token->is_escaped) {
        return token->size == size + 2 && memcmp(at, text, size) == 0;
    }
    for (size_t i = 0; i < size; i++) {
        int32_t unit;
        if (at == end) {
            return false;
        }
        unit = *at++;
        if (unit == '\\') {
            static const char LETTERS[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
            const char *letter = strchr(LETTERS, *at);
            if (letter != NULL) {
                unit = MEANT[letter - LETTERS];
                at++;
            } else {
                unit = hex4(at + 1, end);
                at += 5;
            }
        }
        if (unit != (uint8_t)text[i]) {
            return false;
        }
    }
    return at == end;
}

/* -- numbers ------------------------------------------------------------------------------------------------------- */

static inline Text read_digits(Text at, Text end, Number *number)
{
    const Text start = at;
    uint64_t digits = number->digits;
#if IS_LITTLE_ENDIAN
    while (end - at >= 8) {
        uint64_t word = load64(at) ^ 0x3030303030303030ULL; /* digits become 0 to 9 */
        /* the lowest marked byte is not a digit; above it, carries may mark digits too */
        const uint64_t others = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
        if ((others & 0x80) != 0) {
            break;
        }
        const unsigned count = others == 0 ? 8 : lowest_bit(others) / 8;
        word <<= 64 - 8 * count; /* leading zeros; then combine digits into numbers of two, four, eight digits */
        word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffULL;
        word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffULL;
        word = (word * 10000 + (word >> 32)) & 0x00000000ffffffffULL;
        digits = digits * TEN_TO[count] + word;
        at += count;
        if (count < 8) {
            number->digits = digits;
            number->count += (size_t)(at - start);
            return at;
        }
    }
#endif
    while (at < end && is_digit(*at)) {
        digits = digits * 10 + (uint64_t)(*at - '0');
        at++;
    }
    number->digits = digits;
    number->count += (size_t)(at - start);
    return at;
}

Text read_number(Text at, Text end, Number *number)
{
    const Number none = {0};
    *number = none;
    if (*at == '-') {
        number->negative = true;
        at++;
    }
    if (at == end || !is_digit(*at)) {
        return NULL;
    }
    if (*at == '0' && end - at > 1 && is_digit(at[1])) {
        return NULL;
    }
    at = read_digits(at, end, number);
    if (at < end && *at == '.') {
        const size_t whole = number->count;
        number->has_point = true;
        at = read_digits(at + 1, end, number);
        number->decimals = number->count - whole;
        if (number->decimals == 0) {
            return NULL;
        }
    }
    if (at < end && (*at | 0x20) == 'e') {
        number->has_exponent = true;
        at++;
        if (at < end && (*at == '+' || *at == '-')) {
            at++;
        }
        if (at == end || !is_digit(*at)) {
            return NULL;
        }
        while (at < end && is_digit(*at)) {
            at++;
        }
    }
    return at;
}

/* `value` + 1 if the truncated fraction is more than a half, or is a half and `value` is odd. */
static uint64_t round_half_even(uint64_t value, int above_half)
{
    return value + (above_half > 0 || (above_half == 0 && value % 2 == 1));
}

static TimeKind signed_time(uint64_t value, bool negative, bool is_rounded, int64_t *ns)
{
    *ns = negative ? -(int64_t)value : (int64_t)value;
    return is_rounded ? TIME_ROUNDED : TIME_EXACT;
}

/* Reads a time with any number of digits and an exponent of up to five digits, digit by digit. */
static TimeKind long_time(const Token *token, int64_t *ns)
{
    const Number *number = &token->number;
    const Text end = token->at + token->size;
    Text at = token->at + number->negative;
    const Text mantissa = at;
    const Text mantissa_end = mantissa + number->count + number->has_point;
    int64_t exponent = 0;
    if (number->has_exponent) {
        const Text sign = mantissa_end + 1;
        for (at = sign + !is_digit(*sign); at < end; at++) {
            exponent = exponent * 10 + (*at - '0');
            if (exponent > 99999) {
                return TIME_UNKNOWN;
            }
        }
        exponent = *sign == '-' ? -exponent : exponent;
    }
    if (number->count > INT32_MAX) {
        return TIME_UNKNOWN;
    }
    /* number of digits before the point in nanoseconds, counted from the first nonzero digit */
    int64_t whole = (int64_t)(number->count - number->decimals) + exponent + 3;
    uint64_t value = 0;
    int above_half = -1;
    bool is_first = true, is_rounded = false;
    for (at = mantissa; at < mantissa_end; at++) {
        if (*at == '.') {
            continue;
        }
        const uint8_t digit = (uint8_t)(*at - '0');
        whole--; /* this digit's weight is 10**whole */
        if (is_first && digit == 0) {
            continue;
        }
        is_first = false;
        if (whole > 18) {
            return TIME_NONE;
        }
        if (whole >= 0) {
            value = value * 10 + digit; /* at most 19 digits, which a uint64 holds */
        } else {
            if (whole == -1) {
                above_half = digit > 5 ? 1 : digit == 5 ? 0 : -1;
            } else if (digit != 0 && above_half == 0) {
                above_half = 1;
            }
            is_rounded |= digit != 0;
        }
    }
    for (; whole > 0 && value != 0; whole--) {
        value *= 10; /* the mantissa ended before the point; the weight of the first digit was checked above */
    }
    if (value > INT64_MAX || (value == INT64_MAX && is_rounded)) {
        return TIME_NONE;
    }
    return signed_time(round_half_even(value, above_half), number->negative, is_rounded, ns);
}

bool number_inside(const Token *token, Token *number)
{
    const Text end = token->at + token->size - 1;
    return end - token->at > 1 && read_token(token->at + 1, end, number) == end && number->kind == KIND_NUMBER;
}

TimeKind read_time(const Token *token, int64_t *ns)
{
    Token inner;
    if (token->kind == KIND_STRING) {
        if (!number_inside(token, &inner)) {
            return TIME_UNKNOWN;
        }
        token = &inner;
    }
    if (token->kind != KIND_NUMBER) {
        return TIME_NONE;
    }
    const Number *number = &token->number;
    if (number->has_exponent || number->count > MAX_PLAIN_DIGITS) {
        return long_time(token, ns);
    }
    if (number->decimals <= 3) {
        const uint64_t up = TEN_TO[3 - number->decimals];
        if (number->digits > (uint64_t)INT64_MAX / up) {
            return TIME_NONE;
        }
        return signed_time(number->digits * up, number->negative, false, ns);
    }
    const uint64_t divisor = TEN_TO[number->decimals - 3];
    const uint64_t rest = number->digits % divisor, half = divisor / 2;
    const int above_half = rest > half ? 1 : rest == half ? 0 : -1;
    const uint64_t value = round_half_even(number->digits / divisor, above_half);
    return signed_time(value, number->negative, rest != 0, ns);
}

bool plain_double(const Token *token, double *value)
{
#if HAS_EXACT_DOUBLES
    const Number *number = &token->number;
    if (token->kind != KIND_NUMBER || number->has_exponent || number->count > MAX_PLAIN_DIGITS ||
        number->digits > (1ULL << 53) || (number->negative && number->digits == 0)) {
        return false;
    }
    /* both are exact as doubles (10**18 < 2**53 * 2**18), so the quotient is rounded only once */
    const double magnitude = (double)number->digits / (double)TEN_TO[number->decimals];
    *value = number->negative ? -magnitude : magnitude;
    return true;
#else
    (void)token;
    (void)value;
    return false;
#endif
}

/* -- values -------------------------------------------------------------------------------------------------------- */

static Text read_word(Text at, Text end, const char *word, size_t size)
{
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 ? at + size : NULL;
}

static Text read_scalar(Text at, Text end, Token *token)
{
    switch (*at) {
    case '"':
        token->kind = KIND_STRING;
        return read_string(at, end, &token->is_escaped);
    case 'n':
        token->kind = KIND_NULL;
        return read_word(at, end, "null", 4);
    case 't':
        token->kind = KIND_BOOL;
        return read_word(at, end, "true", 4);
    case 'f':
        token->kind = KIND_BOOL;
        return read_word(at, end, "false", 5);
    default:
        token->kind = KIND_NUMBER;
        return *at == '-' || is_digit(*at) ? read_number(at, end, &token->number) : NULL;
    }
}

static Text read_key(Text at, Text end)
{
    bool is_escaped;
    at = skip_space(at, end);
    if (at == end || *at != '"') {
        return NULL;
    }
    at = read_string(at, end, &is_escaped);
    if (at == NULL) {
        return NULL;
    }
    at = skip_space(at, end);
    return at < end && *at == ':' ? skip_space(at + 1, end) : NULL;
}

/* The end of the array or object at `at`. Bit d of `objects` is set if depth d + 1 is an object. */
static Text read_nested(Text at, Text end)
{
    uint64_t objects = 0;
    unsigned depth = 0;
    Token scalar;
    for (;;) {
        bool is_open = false; /* whether a value is to be read at `at` */
        if (at == end) {
            return NULL;
        }
        if (*at == '[' || *at == '{') {
            const bool is_object = *at == '{';
            if (depth == MAX_NESTING) {
                return NULL;
            }
            objects = is_object ? objects | (uint64_t)1 << depth : objects & ~((uint64_t)1 << depth);
            depth++;
            at = skip_space(at + 1, end);
            is_open = at < end && *at != (is_object ? '}' : ']');
            if (is_open && is_object) {
                at = read_key(at, end);
                if (at == NULL) {
                    return NULL;
                }
            }
        } else {
            at = read_scalar(at, end, &scalar);
            if (at == NULL) {
                return NULL;
            }
            at = skip_space(at, end);
        }
        while (!is_open) { /* after a value or before a closing bracket */
            const bool is_object = (objects >> (depth - 1) & 1) != 0;
            if (at == end) {
                return NULL;
            }
            if (*at == (is_object ? '}' : ']')) {
                at++;
                if (--depth == 0) {
                    return at;
                }
                at = skip_space(at, end);
            } else if (*at == ',') {
                at = is_object ? read_key(at + 1, end) : skip_space(at + 1, end);
                if (at == NULL) {
                    return NULL;
                }
                is_open = true;
            } else {
                return NULL;
            }
        }
    }
}

Text read_token(Text at, Text end, Token *token)
{
    Text behind;
    if (at == end) {
        return NULL;
    }
    token->at = at;
    token->is_escaped = false;
    if (*at == '[' || *at == '{') {
        token->kind = *at == '[' ? KIND_ARRAY : KIND_OBJECT;
        behind = read_nested(at, end);
    } else {
        behind = read_scalar(at, end, token);
    }
    token->size = behind == NULL ? 0 : (size_t)(behind - at);
    return behind;
}
