/* Decodes the texts that Scan.finish() returns. Limited API. */
#include "module.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The value of a JSON string without escapes, None for other texts. */
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

/* Reads bytes arguments of a function, and their sizes. */
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
        done = string != NULL && PyList_SetItem(list, i, string) == 0 && done; /* steals the reference even if it fails */
    }
    PyObject *both = done ? PyTuple_Pack(2, list, odd) : NULL;
    Py_XDECREF(list);
    Py_DECREF(odd);
    return both;
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
    {"trim", trim, METH_NOARGS, "trim()\n\nReturns free memory to the system, if the C library can."},
    {"plain_strings", plain_strings, METH_VARARGS,
     "plain_strings(texts, text_ends, numbers) -> (list of str or None, list of int)\n\n"
     "Decodes the texts with these numbers (int64) that Scan.finish() returned. The first list has None for texts with\n"
     "escapes or other than strings; the second list has their positions in the first."},
    {NULL, NULL, 0, NULL},
};

int add_column_functions(PyObject *module)
{
    return PyModule_AddFunctions(module, FUNCTIONS);
}
