/* The parts of the module _scanner. */
#ifndef TB_PERFCOMPARE_MODULE_H
#define TB_PERFCOMPARE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "store.h"

/* Adds functions on columns. Below zero with an error set. */
int add_column_functions(PyObject *module);

/* Adds the type Column: bytes that numpy reads in place. Below zero with an error set. */
int add_column_type(PyObject *module);

/* A Column that takes over the items of an array, which is empty afterwards. NULL with an error set. */
PyObject *column_of(PyTypeObject *type, Array *array);

/* The items of a Column. */
const Array *items_of(PyObject *column);

#endif
