/* Column: the items of an array, passed to Python without a copy. The limited API has no buffers before Python 3.11, so
   numpy accesses the items through `__array_interface__`. */
#include "module.h"

#include <stdlib.h>

typedef struct {
    PyObject_HEAD
    Array array;
} ColumnObject;

static void column_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    array_free(&((ColumnObject *)object)->array);
    release(object);
    Py_DECREF(type);
}

static size_t size_of(const Array *array)
{
    return array->count * array->size;
}

static Py_ssize_t column_length(PyObject *object)
{
    return (Py_ssize_t)size_of(items_of(object));
}

static PyObject *array_interface(PyObject *object, void *unused)
{
    static uint8_t nothing; /* for address 0 numpy would allocate */
    const Array *array = items_of(object);
    (void)unused;
    PyObject *address = PyLong_FromVoidPtr(array->items == NULL ? &nothing : array->items);
    return address == NULL ? NULL
                           : Py_BuildValue("{s:(n),s:s,s:(NO),s:i}", "shape", (Py_ssize_t)size_of(array), "typestr", "|u1",
                                           "data", address, Py_True, "version", 3);
}

static PyGetSetDef ATTRIBUTES[] = {
    {"__array_interface__", array_interface, NULL, "Read-only bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot SLOTS[] = {
    {Py_tp_doc, "The items of a column, in native byte order: numpy.asarray(column).view(dtype)."},
    {Py_tp_dealloc, (void *)column_dealloc},
    {Py_tp_getset, ATTRIBUTES},
    {Py_sq_length, (void *)column_length},
    {0, NULL},
};

static PyType_Spec SPEC = {
    "tb_perfcompare.sources.native._scanner.Column", (int)sizeof(ColumnObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, SLOTS,
};

const Array *items_of(PyObject *column)
{
    return &((ColumnObject *)column)->array;
}

PyObject *column_of(PyTypeObject *type, Array *array)
{
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    ColumnObject *self = (ColumnObject *)allocate(type, 0);
    if (self != NULL) {
        array_fit(array);
        self->array = *array;
        array->items = NULL;
        array->count = array->room = 0;
    }
    return (PyObject *)self;
}

int add_column_type(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &SPEC, NULL);
    const int done = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return done;
}
