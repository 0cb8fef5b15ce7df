#include "arguments.h"

#include "memory.h"

#include <string.h>

/* Memory of an array, from its `__array_interface__`, which the limited API can read. */
static char *items_of_array(PyObject *array, size_t size, Py_ssize_t *bytes)
{
    static const union {
        uint16_t number;
        char first;
    } order = {1};
    const char little = order.first == 1 ? '<' : '>';
    PyObject *about = PyObject_GetAttrString(array, "__array_interface__");
    char *items = NULL;
    if (about == NULL) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "want bytes or an array");
        return NULL;
    }
    PyObject *type = PyDict_Check(about) ? PyDict_GetItemString(about, "typestr") : NULL;
    PyObject *shape = type == NULL ? NULL : PyDict_GetItemString(about, "shape");
    PyObject *data = type == NULL ? NULL : PyDict_GetItemString(about, "data");
    PyObject *strides = type == NULL ? NULL : PyDict_GetItemString(about, "strides");
    char want[4] = {size == 1 ? '|' : little, 'i', (char)('0' + size), 0};
    if (type == NULL || !PyUnicode_Check(type) || PyUnicode_CompareWithASCIIString(type, want) != 0) {
        PyErr_SetString(PyExc_ValueError, "the array is of another type");
    } else if (shape == NULL || !PyTuple_Check(shape) || PyTuple_Size(shape) != 1 ||
               (strides != NULL && strides != Py_None) || data == NULL || !PyTuple_Check(data) || PyTuple_Size(data) < 1) {
        PyErr_SetString(PyExc_ValueError, "want an array of one dimension without gaps");
    } else {
        const Py_ssize_t length = PyLong_AsSsize_t(PyTuple_GetItem(shape, 0));
        items = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
        if (PyErr_Occurred() || length < 0 || length > PY_SSIZE_T_MAX / (Py_ssize_t)size) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ValueError, "the array is too long");
            }
            items = NULL;
        } else {
            *bytes = length * (Py_ssize_t)size;
            if (items == NULL) {
                items = (char *)&order.number; /* an empty array may have no memory */
                *bytes = 0;
            }
        }
    }
    Py_DECREF(about);
    return items;
}

const void *numbers(PyObject *given, size_t size, Py_ssize_t *count)
{
    char *items;
    Py_ssize_t length = 0;
    if (!PyBytes_Check(given)) {
        items = items_of_array(given, size, &length);
        if (items == NULL) {
            return NULL;
        }
    } else if (PyBytes_AsStringAndSize(given, &items, &length) < 0) {
        return NULL;
    }
    if (length % (Py_ssize_t)size != 0 || (*count >= 0 && length / (Py_ssize_t)size != *count)) {
        PyErr_SetString(PyExc_ValueError, "want columns of equal length");
        return NULL;
    }
    if (length > 0 && (uintptr_t)items % size != 0) {
        PyErr_SetString(PyExc_ValueError, "the bytes lie where numbers cannot be read");
        return NULL;
    }
    *count = length / (Py_ssize_t)size;
    return items;
}

bool read_column(PyObject *given, Py_ssize_t *count, Column *column)
{
    column->wide = NULL;
    column->narrow = PyBytes_Check(given) ? NULL : numbers(given, sizeof(int32_t), count);
    if (column->narrow == NULL && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_ValueError))) {
        PyErr_Clear();
        column->wide = numbers(given, sizeof(int64_t), count);
    }
    return column->narrow != NULL || column->wide != NULL;
}

bool read_tie(PyObject *given, Py_ssize_t *count, Tie *tie)
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
    if (tie->values == NULL) {
        return false;
    }
    bool is_out = false;
    const uint32_t behind = values > INT32_MAX ? (uint32_t)INT32_MAX + 1 : (uint32_t)values;
    for (Py_ssize_t i = 0; i < *count; i++) {
        is_out |= (uint32_t)tie->codes[i] >= behind; /* negative ones, too */
    }
    if (is_out) {
        PyErr_SetString(PyExc_ValueError, "a code is out of range");
    }
    return !is_out;
}

bool read_keys(PyObject *first, PyObject *second, PyObject *ties, Py_ssize_t *count, Keys *keys)
{
    const Py_ssize_t many = PyTuple_Check(ties) ? PyTuple_Size(ties) : -1;
    if (many < 0 || many > MAX_TIES) {
        PyErr_Format(PyExc_ValueError, "want a tuple of at most %d columns", (int)MAX_TIES);
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

PyObject *new_column(size_t count, size_t size, void *items)
{
    PyObject *bytes = NULL;
    void *found = NULL;
    if (count <= (size_t)PY_SSIZE_T_MAX / size) {
        bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
    } else {
        PyErr_NoMemory();
    }
    if (bytes != NULL) {
        found = in_large_pages(PyBytes_AsString(bytes), count * size);
        if (count > 0 && (uintptr_t)found % size != 0) {
            PyErr_SetString(PyExc_ValueError, "the bytes lie where numbers cannot be written");
            found = NULL;
        }
    }
    memcpy(items, &found, sizeof found); /* `items` points to a pointer to numbers of any type */
    if (found == NULL) {
        Py_CLEAR(bytes);
    }
    return bytes;
}

PyObject *new_writable(size_t count, size_t size, void **items)
{
    if (count > (size_t)PY_SSIZE_T_MAX / size) {
        return PyErr_NoMemory();
    }
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * size));
    *items = bytes == NULL ? NULL : in_large_pages(PyByteArray_AsString(bytes), count * size);
    return bytes;
}

void set_error(PassEnd how, const char *bad_input)
{
    if (how == PASS_NO_MEMORY) {
        PyErr_NoMemory();
    } else {
        PyErr_SetString(PyExc_ValueError, bad_input);
    }
}
