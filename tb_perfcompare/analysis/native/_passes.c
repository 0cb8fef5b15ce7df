/* The Python face of nesting.c, sweep.c and order.c: functions from bytes to bytes, numbers in the machine's order. Limited
   API of Python 3.10, so that one build serves all later versions.

   Python objects are made only before and after; in between others run. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "sweep.h"

#ifndef TB_PERFCOMPARE_SOURCE_HASH
#define TB_PERFCOMPARE_SOURCE_HASH h
#endif
#define TEXT_OF_NAME(name) #name
#define TEXT_OF(macro) TEXT_OF_NAME(macro)

enum { INTERFACE = 2 }; /* what analysis/passes.py relies on; other numbers are not used */

/* -- arguments ----------------------------------------------------------------------------------------------------- */

/* The numbers in a bytes object; *count of them, or as many as *count says if that is not below zero. */
static const void *numbers(PyObject *bytes, size_t size, Py_ssize_t *count)
{
    char *items;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(bytes, &items, &length) < 0) {
        return NULL;
    }
    if (length % (Py_ssize_t)size != 0 || (*count >= 0 && length / (Py_ssize_t)size != *count)) {
        PyErr_SetString(PyExc_ValueError, "want columns of equal length");
        return NULL;
    }
    if ((uintptr_t)items % size != 0) {
        PyErr_SetString(PyExc_ValueError, "the bytes lie where numbers cannot be read");
        return NULL;
    }
    *count = length / (Py_ssize_t)size;
    return items;
}

/* Bytes with a value per row, or a pair of them: a code per row and a value per code. */
static bool read_tie(PyObject *given, Py_ssize_t *count, Tie *tie)
{
    tie->codes = NULL;
    if (!PyTuple_Check(given)) {
        tie->values = numbers(given, sizeof(int64_t), count);
        return tie->values != NULL;
    }
    Py_ssize_t values = -1;
    if (PyTuple_Size(given) != 2) {
        PyErr_SetString(PyExc_ValueError, "want a pair of codes and values");
        return false;
    }
    tie->codes = numbers(PyTuple_GetItem(given, 0), sizeof(int32_t), count);
    tie->values = tie->codes == NULL ? NULL : numbers(PyTuple_GetItem(given, 1), sizeof(int64_t), &values);
    for (Py_ssize_t i = 0; tie->values != NULL && i < *count; i++) {
        if (tie->codes[i] < 0 || tie->codes[i] >= values) {
            PyErr_SetString(PyExc_ValueError, "a code is out of range");
            return false;
        }
    }
    return tie->values != NULL;
}

static bool read_keys(PyObject *first, PyObject *second, PyObject *ties, Py_ssize_t *count, Keys *keys)
{
    const Py_ssize_t many = PyTuple_Check(ties) ? PyTuple_Size(ties) : -1;
    if (many < 0 || many > MOST_TIES) {
        PyErr_Format(PyExc_ValueError, "want a tuple of at most %d columns", (int)MOST_TIES);
        return false;
    }
    keys->tie_count = (size_t)many;
    if ((keys->first = numbers(first, sizeof(int64_t), count)) == NULL ||
        (keys->second = numbers(second, sizeof(int64_t), count)) == NULL) {
        return false;
    }
    for (Py_ssize_t i = 0; i < many; i++) {
        if (!read_tie(PyTuple_GetItem(ties, i), count, &keys->ties[i])) {
            return false;
        }
    }
    if (*count > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "more rows than an int32 can number");
        return false;
    }
    return true;
}

/* -- results ------------------------------------------------------------------------------------------------------- */

/* Bytes for so many int64, to be filled; *items is where they lie. */
static PyObject *new_column(size_t count, int64_t **items)
{
    PyObject *bytes = NULL;
    if (count <= (size_t)PY_SSIZE_T_MAX / sizeof(int64_t)) {
        bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int64_t)));
    } else {
        PyErr_NoMemory();
    }
    *items = bytes == NULL ? NULL : (int64_t *)(void *)PyBytes_AsString(bytes);
    if (*items != NULL && (uintptr_t)*items % sizeof(int64_t) != 0) {
        PyErr_SetString(PyExc_ValueError, "the bytes lie where numbers cannot be written");
        *items = NULL;
    }
    if (*items == NULL) {
        Py_CLEAR(bytes);
    }
    return bytes;
}

static void set_error(PassEnd how, const char *bad_input)
{
    if (how == PASS_NO_MEMORY) {
        PyErr_NoMemory();
    } else {
        PyErr_SetString(PyExc_ValueError, bad_input);
    }
}

/* -- functions ----------------------------------------------------------------------------------------------------- */

static PyObject *pass_nest(PyObject *module, PyObject *args)
{
    enum { COLUMNS = 5 };
    PyObject *lane, *start, *end, *ties, *rows, *columns[COLUMNS] = {NULL}, *result = NULL;
    Py_ssize_t lanes, length = -1, count = -1;
    Spans spans;
    Forest forest = {0};
    int64_t **const arrays[COLUMNS] = {&forest.order, &forest.parent, &forest.depth, &forest.end, &forest.inside};
    PassEnd how;
    int made = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOOO", &lane, &lanes, &start, &end, &ties, &rows) ||
        !read_keys(start, end, ties, &length, &spans.keys) ||
        (spans.lane = numbers(lane, sizeof(int32_t), &length)) == NULL) {
        return NULL;
    }
    spans.rows = NULL;
    if (rows == Py_None) {
        count = length;
    } else if ((spans.rows = numbers(rows, sizeof(int32_t), &count)) == NULL) {
        return NULL;
    }
    if (lanes < 0) {
        PyErr_SetString(PyExc_ValueError, "want a number of lanes");
        return NULL;
    }
    spans.count = (size_t)count;
    spans.length = (size_t)length;
    spans.lanes = (size_t)lanes;
    while (made < COLUMNS && (columns[made] = new_column(spans.count, arrays[made])) != NULL) {
        made++;
    }
    if (made == COLUMNS) {
        Py_BEGIN_ALLOW_THREADS
        how = nest_spans(&spans, &forest);
        Py_END_ALLOW_THREADS
        if (how == PASS_DONE) {
            result = Py_BuildValue("(OOOOOL)", columns[0], columns[1], columns[2], columns[3], columns[4],
                                   (long long)forest.clipped);
        } else {
            set_error(how, "a lane or a row is out of range");
        }
    }
    for (int i = 0; i < made; i++) {
        Py_DECREF(columns[i]);
    }
    return result;
}

static PyObject *pass_innermost(PyObject *module, PyObject *args)
{
    PyObject *node_lane, *node_start, *node_end, *node_parent, *lane, *at, *result = NULL;
    Py_ssize_t lanes, node_count = -1, count = -1;
    Nodes nodes;
    const int32_t *lane_items;
    const int64_t *at_items;
    int64_t *found;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOOOO", &node_lane, &lanes, &node_start, &node_end, &node_parent, &lane, &at) ||
        (nodes.lane = numbers(node_lane, sizeof(int32_t), &node_count)) == NULL ||
        (nodes.start = numbers(node_start, sizeof(int64_t), &node_count)) == NULL ||
        (nodes.end = numbers(node_end, sizeof(int64_t), &node_count)) == NULL ||
        (nodes.parent = numbers(node_parent, sizeof(int64_t), &node_count)) == NULL ||
        (lane_items = numbers(lane, sizeof(int32_t), &count)) == NULL ||
        (at_items = numbers(at, sizeof(int64_t), &count)) == NULL) {
        return NULL;
    }
    if (lanes < 0) {
        PyErr_SetString(PyExc_ValueError, "want a number of lanes");
        return NULL;
    }
    nodes.count = (size_t)node_count;
    nodes.lanes = (size_t)lanes;
    result = new_column((size_t)count, &found);
    if (result == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    how = find_innermost(&nodes, lane_items, at_items, (size_t)count, found);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(result);
        set_error(how, "want nodes in the order of lane and start, each behind its parent");
    }
    return result;
}

static PyObject *pass_sum_upwards(PyObject *module, PyObject *args)
{
    PyObject *parent, *own, *result;
    Py_ssize_t count = -1;
    const int64_t *parent_items, *own_items;
    int64_t *sums;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &parent, &own) ||
        (parent_items = numbers(parent, sizeof(int64_t), &count)) == NULL ||
        (own_items = numbers(own, sizeof(int64_t), &count)) == NULL) {
        return NULL;
    }
    result = new_column((size_t)count, &sums);
    if (result == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    memcpy(sums, own_items, (size_t)count * sizeof(int64_t));
    how = sum_upwards(parent_items, sums, (size_t)count);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(result);
        set_error(how, "want every row behind its parent");
    }
    return result;
}

static PyObject *pass_order(PyObject *module, PyObject *args)
{
    PyObject *first, *second, *ties, *result;
    Py_ssize_t count = -1;
    Keys keys;
    int64_t *order;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &first, &second, &ties) || !read_keys(first, second, ties, &count, &keys)) {
        return NULL;
    }
    result = new_column((size_t)count, &order);
    if (result == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    how = order_rows(&keys, (size_t)count, order);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(result);
        set_error(how, "too many rows");
    }
    return result;
}

/* The numbers of a pile as bytes; the pile is empty afterwards, so that memory never holds all twice. */
static PyObject *bytes_of(Pile *pile, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(pile->count == 0 ? "" : pile->items, (Py_ssize_t)(pile->count * size));
    free_pile(pile);
    return bytes;
}

static PyObject *pass_sweep(PyObject *module, PyObject *args)
{
    PyObject *start, *end, *role, *ties, *step_start, *step_end, *result = NULL;
    Py_ssize_t count = -1, steps = -1;
    unsigned int shared;
    Claims claims;
    Steps windows;
    Owned owned = {{0}, {0}, {0}, {0}, {0}, {0}};
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOIOOO", &start, &end, &role, &shared, &ties, &step_start, &step_end) ||
        !read_keys(start, end, ties, &count, &claims.keys) || (claims.role = numbers(role, 1, &count)) == NULL ||
        (windows.start = numbers(step_start, sizeof(int64_t), &steps)) == NULL ||
        (windows.end = numbers(step_end, sizeof(int64_t), &steps)) == NULL) {
        return NULL;
    }
    claims.count = (size_t)count;
    claims.shared = (uint32_t)shared;
    windows.count = (size_t)steps;
    Py_BEGIN_ALLOW_THREADS
    how = sweep(&claims, &windows, &owned);
    Py_END_ALLOW_THREADS
    if (how == PASS_DONE) {
        PyObject *columns[6];
        columns[0] = bytes_of(&owned.claim, sizeof(int32_t));
        columns[1] = bytes_of(&owned.step, sizeof(int32_t));
        columns[2] = bytes_of(&owned.time, sizeof(int64_t));
        columns[3] = bytes_of(&owned.gap_start, sizeof(int64_t));
        columns[4] = bytes_of(&owned.gap_end, sizeof(int64_t));
        columns[5] = bytes_of(&owned.gap_step, sizeof(int64_t));
        if (columns[0] && columns[1] && columns[2] && columns[3] && columns[4] && columns[5]) {
            result = Py_BuildValue("(OOOOOO)", columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]);
        }
        for (int i = 0; i < 6; i++) {
            Py_XDECREF(columns[i]);
        }
    } else {
        set_error(how, "want roles below 16 and steps that do not overlap");
    }
    free_owned(&owned);
    return result;
}

/* -- the module ---------------------------------------------------------------------------------------------------- */

static PyMethodDef METHODS[] = {
    {"nest", pass_nest, METH_VARARGS,
     "nest(lane, lanes, start, end, ties, rows) -> (order, parent, depth, end, inside, clipped)\n\n"
     "lane is int32 from 0 to below lanes; a tie is int64, or a pair of int32 codes and an int64 for each; rows is int32,\n"
     "or None for all; other columns are int64. As analysis.nesting.Nesting."},
    {"innermost", pass_innermost, METH_VARARGS,
     "innermost(node_lane, lanes, node_start, node_end, node_parent, lane, at) -> rows of nodes, -1 for none"},
    {"sum_upwards", pass_sum_upwards, METH_VARARGS, "sum_upwards(parent, own) -> own and everything below"},
    {"order", pass_order, METH_VARARGS,
     "order(first, second, ties) -> rows by first, the larger second first, then ties, then the row"},
    {"sweep", pass_sweep, METH_VARARGS,
     "sweep(start, end, role, shared, ties, step_start, step_end)\n"
     "-> (claim, step, time, gap_start, gap_end, gap_step)\n\n"
     "role is int8, below 0 for none; bit r of shared says that role r shares; claim and step are int32.\n"
     "As analysis.ownership.Shares."},
    {NULL, NULL, 0, NULL},
};

static int fill_module(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0) {
        return -1;
    }
    /* the hash begins with an h, which makes it a name for the preprocessor */
    return PyModule_AddStringConstant(module, "SOURCE_HASH", &TEXT_OF(TB_PERFCOMPARE_SOURCE_HASH)[1]);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {
    {Py_mod_exec, (void *)fill_module},
    {0, NULL},
};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_passes", "Passes over all events in order; see analysis/passes.py.", 0, METHODS,
    MODULE_SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__passes(void)
{
    return PyModuleDef_Init(&MODULE);
}
