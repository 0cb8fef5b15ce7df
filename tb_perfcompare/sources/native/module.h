/* Functions shared by the parts of the module _scanner. */
#ifndef TB_PERFCOMPARE_MODULE_H
#define TB_PERFCOMPARE_MODULE_H

#include <Python.h>

#include "store.h"

/* Adds functions on columns. Negative with an error set on failure. */
int add_column_functions(PyObject *module);

/* Adds the type Column: bytes that numpy accesses without a copy. Negative with an error set on failure. */
int add_column_type(PyObject *module);

/* A Column that takes ownership of the items of an array, which is empty afterwards. NULL with an error set on failure. */
PyObject *column_of(PyTypeObject *type, Array *array);

/* The items of a Column. */
const Array *items_of(PyObject *column);

#endif
