/* What Scan.finish() gave -> what numpy is given: functions from bytes to bytes. Limited API. */
#include "module.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The string that a JSON text of one without escapes says, None for others. */
static PyObject *plain_string(const char *at, Py_ssize_t size)
{
    if (size >= 2 && at[0] == '"' && at[size - 1] == '"' && memchr(at, '\\', (size_t)size) == NULL) {
        PyObject *string = PyUnicode_DecodeUTF8(at + 1, size - 2, NULL);
        if (string != NULL || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
            return string;
        }
        PyErr_Clear();
    }
    Py_RETURN_NONE;
}

/* Bytes arguments of a function, and how long they are. */
static bool read_bytes(PyObject *const *objects, int count, char **parts, Py_ssize_t *sizes)
{
    for (int i = 0; i < count; i++) {
        if (PyBytes_AsStringAndSize(objects[i], &parts[i], &sizes[i]) < 0) {
            return false;
        }
    }
    return true;
}

static PyObject *plain_strings(PyObject *module, PyObject *args)
{
    PyObject *objects[3], *odd = PyList_New(0), *list = NULL;
    char *parts[3];
    Py_ssize_t sizes[3];
    (void)module;
    if (odd == NULL || !PyArg_ParseTuple(args, "SSS", &objects[0], &objects[1], &objects[2]) ||
        !read_bytes(objects, 3, parts, sizes)) {
        Py_XDECREF(odd);
        return NULL;
    }
    const Py_ssize_t texts = sizes[1] / (Py_ssize_t)sizeof(int64_t), count = sizes[2] / (Py_ssize_t)sizeof(int64_t);
    bool done = (list = PyList_New(count)) != NULL;
    for (Py_ssize_t i = 0; done && i < count; i++) {
        int64_t number, start = 0, end = -1;
        memcpy(&number, parts[2] + i * (Py_ssize_t)sizeof number, sizeof number);
        if (number >= 0 && number < texts) {
            memcpy(&end, parts[1] + number * (Py_ssize_t)sizeof end, sizeof end);
        }
        if (number > 0 && end >= 0) {
            memcpy(&start, parts[1] + (number - 1) * (Py_ssize_t)sizeof start, sizeof start);
        }
        if (start < 0 || end < start || end > sizes[0]) {
            PyErr_SetString(PyExc_ValueError, "want numbers of texts, and where each of these ends");
            done = false;
            break;
        }
        PyObject *string = plain_string(parts[0] + start, (Py_ssize_t)(end - start));
        if (string == Py_None) {
            PyObject *place = PyLong_FromSsize_t(i);
            done = place != NULL && PyList_Append(odd, place) == 0;
            Py_XDECREF(place);
        }
        done = string != NULL && PyList_SetItem(list, i, string) == 0 && done; /* it takes the string in any case */
    }
    PyObject *both = done ? PyTuple_Pack(2, list, odd) : NULL;
    Py_XDECREF(list);
    Py_DECREF(odd);
    return both;
}

static PyObject *recoded(PyObject *module, PyObject *args)
{
    PyObject *objects[2];
    char *parts[2];
    Py_ssize_t sizes[2];
    (void)module;
    if (!PyArg_ParseTuple(args, "SS", &objects[0], &objects[1]) || !read_bytes(objects, 2, parts, sizes)) {
        return NULL;
    }
    const size_t count = (size_t)sizes[0] / sizeof(int32_t), most = (size_t)sizes[1] / sizeof(int32_t);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof(int32_t)));
    if (bytes == NULL) {
        return NULL;
    }
    char *out = PyBytes_AsString(bytes);
    bool is_within = true;
    Py_BEGIN_ALLOW_THREADS
    for (size_t i = 0; i < count && is_within; i++) {
        int32_t number;
        memcpy(&number, parts[0] + i * sizeof number, sizeof number);
        const size_t at = number < 0 ? most - 1 : (size_t)number;
        is_within = at < most;
        if (is_within) {
            memcpy(out + i * sizeof number, parts[1] + at * sizeof number, sizeof number);
        }
    }
    Py_END_ALLOW_THREADS
    if (!is_within) {
        Py_DECREF(bytes);
        PyErr_SetString(PyExc_ValueError, "a number is beyond the table");
        return NULL;
    }
    return bytes;
}

static PyObject *used(PyObject *module, PyObject *args)
{
    PyObject *numbers, *flags;
    Py_ssize_t count, size;
    char *data;
    (void)module;
    if (!PyArg_ParseTuple(args, "Sn", &numbers, &count) || PyBytes_AsStringAndSize(numbers, &data, &size) < 0) {
        return NULL;
    }
    if (count < 0) {
        PyErr_SetString(PyExc_ValueError, "want how many numbers there are");
        return NULL;
    }
    flags = PyBytes_FromStringAndSize(NULL, count);
    if (flags == NULL) {
        return NULL;
    }
    char *out = PyBytes_AsString(flags);
    memset(out, 0, (size_t)count);
    for (size_t i = 0; i < (size_t)size / sizeof(int32_t); i++) {
        int32_t number;
        memcpy(&number, data + i * sizeof number, sizeof number);
        if (number >= 0 && number < count) {
            out[number] = 1;
        }
    }
    return flags;
}

static PyObject *dense(PyObject *module, PyObject *args)
{
    PyObject *objects[2];
    char *parts[2];
    Py_ssize_t sizes[2], count;
    long long missing;
    (void)module;
    if (!PyArg_ParseTuple(args, "SSnL", &objects[0], &objects[1], &count, &missing) ||
        !read_bytes(objects, 2, parts, sizes)) {
        return NULL;
    }
    const size_t rows = (size_t)sizes[0] / sizeof(int32_t);
    if (count < 0 || count > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(int64_t) ||
        (size_t)sizes[1] / sizeof(int64_t) != rows) {
        PyErr_SetString(PyExc_ValueError, "want a value for every row, and how many rows there are");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(int64_t));
    if (bytes == NULL) {
        return NULL;
    }
    char *out = PyBytes_AsString(bytes);
    const int64_t none = missing;
    for (size_t i = 0; i < (size_t)count; i++) {
        memcpy(out + i * sizeof none, &none, sizeof none);
    }
    for (size_t i = 0; i < rows; i++) {
        int32_t row;
        memcpy(&row, parts[0] + i * sizeof row, sizeof row);
        if (row < 0 || row >= count) {
            Py_DECREF(bytes);
            PyErr_SetString(PyExc_ValueError, "a row is beyond the column");
            return NULL;
        }
        memcpy(out + (size_t)row * sizeof none, parts[1] + i * sizeof none, sizeof none);
    }
    return bytes;
}

static PyObject *trim(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
#ifdef __GLIBC__
    Py_BEGIN_ALLOW_THREADS
    malloc_trim(0);
    Py_END_ALLOW_THREADS
#endif
    Py_RETURN_NONE;
}

static PyMethodDef FUNCTIONS[] = {
    {"dense", dense, METH_VARARGS,
     "dense(rows, values, count, missing) -> bytes\n\nint64: the value of each of so many rows (int32), or `missing`."},
    {"trim", trim, METH_NOARGS, "trim()\n\nGives free memory back to the system, where the C library can."},
    {"plain_strings", plain_strings, METH_VARARGS,
     "plain_strings(texts, text_ends, numbers) -> (list of str or None, list of int)\n\n"
     "What some of the texts that Scan.finish() gave say; `numbers` are int64. None for those with escapes and those that\n"
     "are no strings, and where in the list they are."},
    {"recoded", recoded, METH_VARARGS,
     "recoded(numbers, table) -> bytes\n\nint32: table[number] of each; its last entry for those below zero."},
    {"used", used, METH_VARARGS, "used(numbers, count) -> bytes\n\nFor each of so many numbers whether it is among these int32."},
    {NULL, NULL, 0, NULL},
};

int add_column_functions(PyObject *module)
{
    return PyModule_AddFunctions(module, FUNCTIONS);
}
