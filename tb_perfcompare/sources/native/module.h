/* The parts of the module _scanner. */
#ifndef TB_PERFCOMPARE_MODULE_H
#define TB_PERFCOMPARE_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds functions on columns. Below zero with an error set. */
int add_column_functions(PyObject *module);

#endif
