/* Arguments and results of the module's functions: columns of numbers, as bytes or as arrays. */
#ifndef TB_PERFCOMPARE_ARGUMENTS_H
#define TB_PERFCOMPARE_ARGUMENTS_H

#include <Python.h>

#include "columns.h"
#include "order.h"

/* Returns the signed integers of a bytes object or of a contiguous one-dimensional array. Sets *count, or requires that
   many if it is not negative. NULL with an exception on error. Valid as long as the object lives. */
const void *numbers(PyObject *given, size_t size, Py_ssize_t *count);

/* The same for integers of either width; bytes objects hold 8-byte integers. */
bool read_column(PyObject *given, Py_ssize_t *count, Column *column);

/* A column with a value per row, or a pair: a code per row and a value per code. */
bool read_tie(PyObject *given, Py_ssize_t *count, Tie *tie);

bool read_keys(PyObject *first, PyObject *second, PyObject *ties, Py_ssize_t *count, Keys *keys);

/* Allocates a bytes object for `count` numbers and sets *items to its memory. NULL with an exception on error. */
PyObject *new_column(size_t count, size_t size, void *items);

/* The same, a bytearray. */
PyObject *new_writable(size_t count, size_t size, void **items);

void set_error(PassEnd how, const char *bad_input);

#endif
