/* The types of the module _scanner. */
#ifndef TB_PERFCOMPARE_MODULE_H
#define TB_PERFCOMPARE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds the type Inflate. Below zero with an error set. */
int add_inflate_type(PyObject *module);

/* Adds functions on columns. Below zero with an error set. */
int add_column_functions(PyObject *module);

#endif
