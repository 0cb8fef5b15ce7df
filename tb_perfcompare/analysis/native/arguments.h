/* What the module's functions are given and give: columns of numbers, as bytes or as arrays. */
#ifndef TB_PERFCOMPARE_ARGUMENTS_H
#define TB_PERFCOMPARE_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"
#include "order.h"

/* Signed integers in a bytes object, or in an array of one dimension without gaps; *count of them, or as many as *count
   says if that is not below zero. NULL with an exception. They live as long as the object does. */
const void *numbers(PyObject *given, size_t size, Py_ssize_t *count);

/* The same of either width; bytes are of the larger one. */
bool read_column(PyObject *given, Py_ssize_t *count, Column *column);

/* A column with a value per row, or a pair: a code per row and a value per code. */
bool read_tie(PyObject *given, Py_ssize_t *count, Tie *tie);

bool read_keys(PyObject *first, PyObject *second, PyObject *ties, Py_ssize_t *count, Keys *keys);

/* Bytes for so many numbers, to be filled; *items is where they lie. NULL with an exception. */
PyObject *new_column(size_t count, size_t size, void *items);

void set_error(PassEnd how, const char *bad_input);

#endif
