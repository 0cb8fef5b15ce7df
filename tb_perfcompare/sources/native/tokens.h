/* Parses JSON values one at a time: where they end, and the value of numbers.

   All functions are at least as strict as the Python reader's decoder. Bytes that are not UTF-8 and nesting beyond
   MAX_NESTING are always rejected, although a decoder may skip them. A rejection costs only time: the caller then passes
   the text to Python. */
#ifndef TB_PERFCOMPARE_TOKENS_H
#define TB_PERFCOMPARE_TOKENS_H

#include "bytes.h"

enum { MAX_NESTING = 64, MAX_PLAIN_DIGITS = 18 };

typedef enum {
    KIND_NULL,
    KIND_BOOL,
    KIND_NUMBER,
    KIND_STRING,
    KIND_ARRAY,
    KIND_OBJECT
} Kind;

/* A number as written. `digits` is its mantissa without the point, valid if `count` <= MAX_PLAIN_DIGITS. */
typedef struct {
    uint64_t digits;
    size_t count;    /* number of digits in the mantissa, including leading zeros */
    size_t decimals; /* number of digits after the point */
    bool negative;
    bool has_point;
    bool has_exponent;
} Number;

/* One JSON value. `number` is set for numbers, `is_escaped` (a backslash inside) for strings. */
typedef struct {
    Text at;
    size_t size;
    Number number;
    Kind kind;
    bool is_escaped;
} Token;

/* The end of the value at `at`, NULL if there is no valid value before `end`. */
Text read_token(Text at, Text end, Token *token);

/* The end of the string whose opening quote is at `at`, NULL if it is not valid. */
Text read_string(Text at, Text end, bool *is_escaped);

/* The end of the number at `at`, which must be before `end`; NULL if it is not valid. */
Text read_number(Text at, Text end, Number *number);

/* read_token with shortcuts for the most frequent kinds. */
static inline Text read_value(Text at, Text end, Token *token)
{
    Text behind;
    if (at < end && is_digit(*at)) {
        token->kind = KIND_NUMBER;
        token->is_escaped = false;
        behind = read_number(at, end, &token->number);
    } else if (at < end && *at == '"') {
        token->kind = KIND_STRING;
        behind = read_string(at, end, &token->is_escaped);
    } else {
        return read_token(at, end, token);
    }
    token->at = at;
    token->size = behind == NULL ? 0 : (size_t)(behind - at);
    return behind;
}

/* Whether the string token, unescaped, equals this ASCII text. */
bool string_equals(const Token *token, const char *text, size_t size);

typedef enum { TIME_NONE, TIME_EXACT, TIME_ROUNDED, TIME_UNKNOWN } TimeKind;

/* Converts microseconds, given as a number or a string of one, to nanoseconds, rounded half to even if finer
   (TIME_ROUNDED). TIME_NONE: not a number, or beyond int64. TIME_UNKNOWN: Python must read it, which accepts more strings
   and any exponent. */
TimeKind read_time(const Token *token, int64_t *ns);

/* Reads the number that a string token consists of; false for other strings. */
bool number_inside(const Token *token, Token *number);

/* Reads a number without point and exponent, of at most MAX_PLAIN_DIGITS digits; false for other values. */
static inline bool plain_integer(const Token *token, int64_t *value)
{
    const Number *number = &token->number;
    if (token->kind != KIND_NUMBER || number->has_point || number->has_exponent || number->count > MAX_PLAIN_DIGITS) {
        return false;
    }
    *value = number->negative ? -(int64_t)number->digits : (int64_t)number->digits;
    return true;
}

/* Reads a number whose nearest double results from one exact division; false for other values. */
bool plain_double(const Token *token, double *value);

#endif
