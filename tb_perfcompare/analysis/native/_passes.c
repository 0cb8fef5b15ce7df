/* Python interface of the passes: functions from columns to bytes, numbers in the machine's byte order. Limited API of
   Python 3.10, so that one build serves all later versions.

   Python objects are created only before and after a pass, which runs without the GIL. */
#include "arguments.h"
#include "gather.h"
#include "nesting.h"
#include "numbers.h"
#include "sums.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#ifndef TB_PERFCOMPARE_SOURCE_HASH
#define TB_PERFCOMPARE_SOURCE_HASH h
#endif
#define TEXT_OF_NAME(name) #name
#define TEXT_OF(macro) TEXT_OF_NAME(macro)

enum { INTERFACE = 8 }; /* version; analysis/columns/native_passes.py refuses others */

/* -- functions ----------------------------------------------------------------------------------------------------- */

static PyObject *pass_nest(PyObject *module, PyObject *args)
{
    enum { COLUMNS = 5 };
    PyObject *lane, *start, *duration, *ties, *rows, *columns[COLUMNS] = {NULL}, *result = NULL;
    Py_ssize_t lanes, length = -1, count = -1;
    Spans spans;
    Forest forest = {0};
    void *const arrays[COLUMNS] = {&forest.order, &forest.parent, &forest.depth, &forest.end, &forest.inside};
    const size_t sizes[COLUMNS] = {sizeof(int32_t), sizeof(int32_t), sizeof(int32_t), sizeof(int64_t), sizeof(int64_t)};
    PassEnd how;
    int made = 1;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOOO", &lane, &lanes, &start, &duration, &ties, &rows) ||
        !read_keys(start, duration, ties, &length, &spans.keys) ||
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
    columns[0] = new_column(spans.count, sizes[0], arrays[0]);
    if (columns[0] == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    how = order_spans(&spans, forest.order);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        set_error(how, "a lane or a row is out of range");
        Py_DECREF(columns[0]);
        return NULL;
    }
    while (made < COLUMNS && (columns[made] = new_column(spans.count, sizes[made], arrays[made])) != NULL) {
        made++;
    }
    if (made == COLUMNS) {
        Py_BEGIN_ALLOW_THREADS
        nest_spans(&spans, &forest);
        Py_END_ALLOW_THREADS
        result = Py_BuildValue("(OOOOOL)", columns[0], columns[1], columns[2], columns[3], columns[4],
                               (long long)forest.clipped);
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
    int32_t *found;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OnOOOOO", &node_lane, &lanes, &node_start, &node_end, &node_parent, &lane, &at) ||
        (nodes.lane = numbers(node_lane, sizeof(int32_t), &node_count)) == NULL ||
        (nodes.start = numbers(node_start, sizeof(int64_t), &node_count)) == NULL ||
        (nodes.end = numbers(node_end, sizeof(int64_t), &node_count)) == NULL ||
        !read_column(node_parent, &node_count, &nodes.parent) ||
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
    result = new_column((size_t)count, sizeof(int32_t), &found);
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

/* Sums or minima of rows and their descendants. */
static PyObject *gathered_upwards(PyObject *args, bool least)
{
    PyObject *parent, *own, *result;
    Py_ssize_t count = -1;
    Column parents;
    const int64_t *own_items;
    int64_t *sums;
    PassEnd how;
    if (!PyArg_ParseTuple(args, "OO", &parent, &own) ||
        !read_column(parent, &count, &parents) ||
        (own_items = numbers(own, sizeof(int64_t), &count)) == NULL) {
        return NULL;
    }
    result = new_column((size_t)count, sizeof(int64_t), &sums);
    if (result == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    memcpy(sums, own_items, (size_t)count * sizeof(int64_t));
    how = gather_upwards(&parents, least, sums, (size_t)count);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(result);
        set_error(how, "want every row behind its parent");
    }
    return result;
}

static PyObject *pass_sum_upwards(PyObject *module, PyObject *args)
{
    (void)module;
    return gathered_upwards(args, false);
}

static PyObject *pass_least_upwards(PyObject *module, PyObject *args)
{
    (void)module;
    return gathered_upwards(args, true);
}

static PyObject *pass_order(PyObject *module, PyObject *args)
{
    PyObject *first, *second, *ties, *result;
    Py_ssize_t count = -1;
    Keys keys;
    int32_t *order;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &first, &second, &ties) || !read_keys(first, second, ties, &count, &keys)) {
        return NULL;
    }
    result = new_column((size_t)count, sizeof(int32_t), &order);
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

/* Copies a pile into bytes and frees it, so that memory never holds all piles twice. */
static PyObject *bytes_of(Pile *pile, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(pile->count == 0 ? "" : pile->items, (Py_ssize_t)(pile->count * size));
    free_pile(pile);
    return bytes;
}

static PyObject *pass_sweep(PyObject *module, PyObject *args)
{
    PyObject *start, *duration, *role, *ties, *step_start, *step_end, *result = NULL;
    Py_ssize_t count = -1, steps = -1;
    unsigned int shared;
    Claims claims;
    Steps windows;
    Owned owned = {{0}, {0}, {0}, {0}, {0}, {0}};
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOIOOO", &start, &duration, &role, &shared, &ties, &step_start, &step_end) ||
        !read_keys(start, duration, ties, &count, &claims.keys) || (claims.role = numbers(role, 1, &count)) == NULL ||
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

/* A column with a value per i, a pair of a column and of indices into it per i, or None for `same` everywhere. */
typedef struct {
    Column values, at;
    Chosen chosen;
} Given;

static bool read_chosen(PyObject *object, Py_ssize_t *count, int64_t same, Given *given)
{
    Py_ssize_t length = -1;
    given->chosen = (Chosen){NULL, 0, NULL, same};
    if (object == Py_None) {
        return true;
    }
    given->chosen.values = &given->values;
    if (!PyTuple_Check(object)) {
        return read_column(object, count, &given->values);
    }
    if (PyTuple_Size(object) != 2) {
        PyErr_SetString(PyExc_ValueError, "want a pair of values and indices");
        return false;
    }
    given->chosen.at = &given->at;
    if (!read_column(PyTuple_GetItem(object, 0), &length, &given->values) ||
        !read_column(PyTuple_GetItem(object, 1), count, &given->at)) {
        return false;
    }
    given->chosen.length = (size_t)length;
    return true;
}

static PyObject *pass_add_up(PyObject *module, PyObject *args)
{
    PyObject *row, *column, *value, *result;
    Py_ssize_t count = -1, size;
    long long width;
    Given rows, columns, values;
    Addends addends;
    int64_t *sums;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOLn", &row, &column, &value, &width, &size) ||
        !read_chosen(row, &count, 0, &rows) || !read_chosen(column, &count, 0, &columns) ||
        !read_chosen(value, &count, 1, &values)) {
        return NULL;
    }
    if (size < 0 || count < 0) {
        PyErr_SetString(PyExc_ValueError, "want a number of sums, and something to add up");
        return NULL;
    }
    addends = (Addends){(size_t)count, rows.chosen, columns.chosen, values.chosen, width};
    result = new_column((size_t)size, sizeof(int64_t), &sums);
    if (result == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    memset(sums, 0, (size_t)size * sizeof *sums);
    how = add_up(&addends, sums, (size_t)size);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(result);
        set_error(how, "a place is out of range");
    }
    return result;
}

/* Copies a result whose length was not known in advance. */
static PyObject *copied(const void *items, size_t count, size_t size)
{
    char *place;
    PyObject *column = new_column(count, size, &place);
    if (column != NULL && count > 0) {
        memcpy(place, items, count * size);
    }
    return column;
}

static PyObject *pass_number(PyObject *module, PyObject *args)
{
    PyObject *first, *second, *place, *result = NULL;
    Py_ssize_t count = -1, size;
    long long seconds;
    Codes codes;
    Column seconds_of;
    int64_t *found = NULL;
    size_t found_count = 0;
    int32_t *places;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOLn", &first, &second, &seconds, &size) || !read_column(first, &count, &codes.first) ||
        (second != Py_None && !read_column(second, &count, &seconds_of))) {
        return NULL;
    }
    if (size < 0 || count > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "want a number of codes, and no more rows than an int32 can number");
        return NULL;
    }
    codes.count = (size_t)count;
    codes.second = second == Py_None ? NULL : &seconds_of;
    codes.seconds = seconds;
    codes.size = (size_t)size;
    place = new_column(codes.count, sizeof(int32_t), &places);
    if (place == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    how = number_codes(&codes, places, &found, &found_count);
    Py_END_ALLOW_THREADS
    if (how == PASS_DONE) {
        PyObject *used = copied(found, found_count, sizeof(int64_t));
        result = used == NULL ? NULL : Py_BuildValue("(NO)", used, place);
    } else {
        set_error(how, "a code is out of range");
    }
    free(found);
    Py_DECREF(place);
    return result;
}

static PyObject *pass_paths(PyObject *module, PyObject *args)
{
    PyObject *above, *root, *key, *wanted, *node, *used, *result = NULL;
    Py_ssize_t count = -1;
    int roots;
    const int8_t *flags;
    Branches branches;
    NewNodes nodes = {0};
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOi", &above, &root, &key, &wanted, &roots) ||
        !read_column(above, &count, &branches.above) ||
        (branches.root = numbers(root, sizeof(int32_t), &count)) == NULL ||
        (branches.key = numbers(key, sizeof(int32_t), &count)) == NULL || (flags = numbers(wanted, 1, &count)) == NULL) {
        return NULL;
    }
    if (roots < 0) {
        PyErr_SetString(PyExc_ValueError, "want a number of nodes");
        return NULL;
    }
    branches.count = (size_t)count;
    branches.roots = roots;
    used = new_column(branches.count, 1, &branches.used);
    node = used == NULL ? NULL : new_column(branches.count, sizeof(int32_t), &nodes.node);
    if (node == NULL) {
        Py_XDECREF(used);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    memcpy(branches.used, flags, branches.count);
    how = number_paths(&branches, &nodes);
    Py_END_ALLOW_THREADS
    if (how == PASS_DONE) {
        PyObject *parents = copied(nodes.parent, nodes.count, sizeof(int32_t));
        PyObject *keys = copied(nodes.key, nodes.count, sizeof(int32_t));
        PyObject *levels = copied(nodes.level, nodes.count, sizeof(int32_t));
        if (parents != NULL && keys != NULL && levels != NULL) {
            result = Py_BuildValue("(OOOO)", node, parents, keys, levels);
        }
        Py_XDECREF(parents);
        Py_XDECREF(keys);
        Py_XDECREF(levels);
    } else {
        set_error(how, "want rows behind those above them");
    }
    free(nodes.parent);
    free(nodes.key);
    free(nodes.level);
    Py_DECREF(node);
    Py_DECREF(used);
    return result;
}

static PyObject *pass_gather(PyObject *module, PyObject *args)
{
    PyObject *values, *at, *gathered;
    Py_ssize_t size, length = -1, count = -1;
    const void *items;
    const int32_t *places;
    void *result;
    PassEnd how;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOn", &values, &at, &size)) {
        return NULL;
    }
    if (size < 1 || size > 8) {
        PyErr_SetString(PyExc_ValueError, "want values of 1, 2, 4 or 8 bytes");
        return NULL;
    }
    if ((items = numbers(values, (size_t)size, &length)) == NULL ||
        (places = numbers(at, sizeof(int32_t), &count)) == NULL ||
        (gathered = new_writable((size_t)count, (size_t)size, &result)) == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    how = gather(items, (size_t)length, (size_t)size, places, (size_t)count, result);
    Py_END_ALLOW_THREADS
    if (how != PASS_DONE) {
        Py_CLEAR(gathered);
        set_error(how, "want values, and no more than an int32 can number");
    }
    return gathered;
}

/* -- the module ---------------------------------------------------------------------------------------------------- */

static PyMethodDef METHODS[] = {
    {"nest", pass_nest, METH_VARARGS,
     "nest(lane, lanes, start, duration, ties, rows) -> (order, parent, depth, end, inside, clipped)\n\n"
     "lane is int32, 0 <= lane < lanes; a tie is int64, or a pair of int32 codes and an int64 per code; rows is int32,\n"
     "or None for all; other columns are int64. Results as in analysis.columns.nesting.Nesting."},
    {"innermost", pass_innermost, METH_VARARGS,
     "innermost(node_lane, lanes, node_start, node_end, node_parent, lane, at) -> rows of nodes, -1 for none"},
    {"sum_upwards", pass_sum_upwards, METH_VARARGS, "sum_upwards(parent, own) -> own plus those of all descendants"},
    {"least_upwards", pass_least_upwards, METH_VARARGS,
     "least_upwards(parent, own) -> the minimum of own and those of all descendants"},
    {"add_up", pass_add_up, METH_VARARGS,
     "add_up(row, column, value, width, size) -> sums\n\n"
     "sums[row * width + column] += value, for each i without a negative index, row or column. Each is a column, a pair\n"
     "of a column and indices into it, or None: row 0, column 0, value 1."},
    {"gather", pass_gather, METH_VARARGS,
     "gather(values, at, size) -> values[at] as a bytearray\n\n"
     "Values are integers of `size` bytes, at is int32; -1 is the last value."},
    {"number", pass_number, METH_VARARGS,
     "number(first, second, seconds, size) -> (distinct codes, ascending, int64; int32 index of each code)\n\n"
     "Codes are first * seconds + second, or first if second is None; below size."},
    {"paths", pass_paths, METH_VARARGS,
     "paths(above, root, key, wanted, roots) -> (node of each row, parent, key and level of each new node), all int32\n\n"
     "wanted is int8. As analysis.columns.paths.Paths, but nodes are in order of occurrence."},
    {"order", pass_order, METH_VARARGS,
     "order(first, second, ties) -> rows by first, the larger second first, then ties, then the row"},
    {"sweep", pass_sweep, METH_VARARGS,
     "sweep(start, duration, role, shared, ties, step_start, step_end)\n"
     "-> (claim, step, time, gap_start, gap_end, gap_step)\n\n"
     "role is int8, negative for none; bit r of shared: role r shares time; claim and step are int32.\n"
     "Results as in analysis.attribution.ownership.Shares."},
    {NULL, NULL, 0, NULL},
};

static int fill_module(PyObject *module)
{
    if (PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0) {
        return -1;
    }
    /* the hash is prefixed with h, to be an identifier for the preprocessor */
    return PyModule_AddStringConstant(module, "SOURCE_HASH", &TEXT_OF(TB_PERFCOMPARE_SOURCE_HASH)[1]);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {
    {Py_mod_exec, (void *)fill_module},
    {0, NULL},
};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_passes", "Passes over all events in order; see analysis/columns/native_passes.py.", 0, METHODS,
    MODULE_SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__passes(void)
{
    return PyModuleDef_Init(&MODULE);
}
