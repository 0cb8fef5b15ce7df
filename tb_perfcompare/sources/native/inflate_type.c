/* The Python face of inflate.c, one type, Inflate, and of checksum.c. */
#include "module.h"

#include "checksum.h"
#include "inflate.h"

typedef struct {
    PyObject_HEAD
    Inflate *inflate;
    bool is_busy;
} InflateObject;

static PyObject *inflate_object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    if (PyTuple_Size(args) != 0 || (kwargs != NULL && PyDict_Size(kwargs) != 0)) {
        PyErr_SetString(PyExc_TypeError, "Inflate takes no arguments");
        return NULL;
    }
    InflateObject *self = (InflateObject *)allocate(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->inflate = PyMem_Malloc(sizeof *self->inflate);
    if (self->inflate == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    inflate_start(self->inflate);
    return (PyObject *)self;
}

static void inflate_object_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyMem_Free(((InflateObject *)object)->inflate);
    release(object);
    Py_DECREF(type);
}

static PyObject *inflate_more(PyObject *object, PyObject *args)
{
    InflateObject *self = (InflateObject *)object;
    PyObject *bytes, *block;
    Py_ssize_t start, room, size;
    char *data;
    int is_all;
    size_t used = 0, written = 0;
    InflatedEnd how;
    if (self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, "the stream is in use by another thread");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "Snpn", &bytes, &start, &is_all, &room) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        return NULL;
    }
    if (start < 0 || start > size || room < 1) {
        PyErr_SetString(PyExc_ValueError, "want 0 <= start <= len(data) and some room");
        return NULL;
    }
    block = PyBytes_FromStringAndSize(NULL, room);
    if (block == NULL) {
        return NULL;
    }
    uint8_t *output = (uint8_t *)PyBytes_AsString(block);
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS
    how = inflate_some(self->inflate, (Text)data + start, (size_t)(size - start), is_all != 0, &used, output, (size_t)room,
                       &written);
    Py_END_ALLOW_THREADS
    self->is_busy = false;
    if (written < (size_t)room) { /* the end of the stream, or of the input */
        PyObject *whole = block;
        block = PyBytes_FromStringAndSize((const char *)output, (Py_ssize_t)written);
        Py_DECREF(whole);
        if (block == NULL) {
            return NULL;
        }
    }
    return Py_BuildValue("(Nni)", block, start + (Py_ssize_t)used, (int)how);
}

static PyMethodDef METHODS[] = {
    {"more", inflate_more, METH_VARARGS,
     "more(data, start, is_all, room) -> (block, end, how)\n\n"
     "Inflates data[start:], up to `end`, into a block of at most `room` bytes; is_all says that nothing follows data.\n"
     "how: ALL, the stream has ended; ROOM; INPUT, more is needed; FOREIGN, zlib has to say. What is in the block is right."},
    {NULL, NULL, 0, NULL},
};

static char DOC[] = "Inflate()\n\nOne raw deflate stream (RFC 1951).";

static PyType_Slot SLOTS[] = {
    {Py_tp_doc, DOC},
    {Py_tp_new, (void *)inflate_object_new},
    {Py_tp_dealloc, (void *)inflate_object_dealloc},
    {Py_tp_methods, METHODS},
    {0, NULL},
};

static PyType_Spec SPEC = {
    "tb_perfcompare.sources.native._scanner.Inflate", (int)sizeof(InflateObject), 0, Py_TPFLAGS_DEFAULT, SLOTS,
};

static PyObject *checksum(PyObject *module, PyObject *args)
{
    PyObject *bytes;
    unsigned int before;
    char *data;
    Py_ssize_t size;
    uint32_t sum;
    (void)module;
    if (!PyArg_ParseTuple(args, "SI", &bytes, &before) || PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    sum = checksum_of((uint32_t)before, (Text)data, (size_t)size);
    Py_END_ALLOW_THREADS
    return PyLong_FromUnsignedLong(sum);
}

static PyMethodDef CHECKSUM[] = {
    {"checksum", checksum, METH_VARARGS,
     "checksum(data, before) -> int\n\nzlib.crc32(data, before); only there where the processor makes it quicker than that."},
    {NULL, NULL, 0, NULL},
};

int add_inflate_type(PyObject *module)
{
    if (has_checksum() && PyModule_AddFunctions(module, CHECKSUM) < 0) {
        return -1;
    }
    PyObject *type = PyType_FromModuleAndSpec(module, &SPEC, NULL);
    const bool done = type != NULL && PyModule_AddType(module, (PyTypeObject *)type) == 0;
    Py_XDECREF(type);
    return done && PyModule_AddIntConstant(module, "ALL", INFLATED_ALL) == 0 &&
                   PyModule_AddIntConstant(module, "ROOM", INFLATED_ROOM) == 0 &&
                   PyModule_AddIntConstant(module, "INPUT", INFLATED_INPUT) == 0 &&
                   PyModule_AddIntConstant(module, "FOREIGN", INFLATED_FOREIGN) == 0
               ? 0
               : -1;
}
