/* JSON values, one at a time: where they end, and what a number says.

   Everything here is at least as strict as the decoder of the Python reader, and stricter about what Python knows
   better: bytes that are not UTF-8 and nesting beyond MOST_NESTING are refused although a decoder may pass over them. A
   refusal costs time only, the caller then hands the text to Python. */
#ifndef TB_PERFCOMPARE_TOKENS_H
#define TB_PERFCOMPARE_TOKENS_H

#include "bytes.h"

enum { MOST_NESTING = 64, MOST_PLAIN_DIGITS = 18 };

typedef enum {
    KIND_NULL,
    KIND_BOOL,
    KIND_NUMBER,
    KIND_STRING,
    KIND_ARRAY,
    KIND_OBJECT
} Kind;

/* A number as written. `digits` is its mantissa without the point while `count` <= MOST_PLAIN_DIGITS. */
typedef struct {
    uint64_t digits;
    size_t count;    /* digits of the mantissa, leading zeros included */
    size_t decimals; /* of these, behind the point */
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

/* Behind the value at `at`, NULL if there is no sound value before `end`. */
Text read_token(Text at, Text end, Token *token);

/* Behind the string whose opening quote is at `at`, NULL if it is not sound. */
Text read_string(Text at, Text end, bool *is_escaped);

/* Behind the number at `at`, which is in front of `end`; NULL if there is no sound one. */
Text read_number(Text at, Text end, Number *number);

/* read_token with short ways for the most frequent kinds. */
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

/* Whether the string token, unescaped, is this ASCII text. */
bool string_equals(const Token *token, const char *text, size_t size);

typedef enum { TIME_NONE, TIME_EXACT, TIME_ROUNDED, TIME_UNKNOWN } TimeKind;

/* Microseconds, a number or a string of one -> nanoseconds, rounded half to even where the text is finer
   (TIME_ROUNDED). TIME_NONE: no number, or beyond int64. TIME_UNKNOWN: left to Python, which takes more strings and
   any exponent. */
TimeKind read_time(const Token *token, int64_t *ns);

/* The number that a string token consists of. */
bool number_inside(const Token *token, Token *number);

/* A number without point and exponent, of at most MOST_PLAIN_DIGITS digits. */
static inline bool plain_integer(const Token *token, int64_t *value)
{
    const Number *number = &token->number;
    if (token->kind != KIND_NUMBER || number->has_point || number->has_exponent || number->count > MOST_PLAIN_DIGITS) {
        return false;
    }
    *value = number->negative ? -(int64_t)number->digits : (int64_t)number->digits;
    return true;
}

/* A number whose nearest double follows from one exact division. */
bool plain_double(const Token *token, double *value);

#endif
