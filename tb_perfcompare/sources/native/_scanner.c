/* The Python interface of events.c: the type Scan, and the module. It uses the limited API of Python 3.10, so that one
   build works for all later versions.

   Bytes are scanned without the GIL; Python objects are created only before and after. */
#include "module.h"

#include "events.h"

#ifndef TB_PERFCOMPARE_SOURCE_HASH
#define TB_PERFCOMPARE_SOURCE_HASH h
#endif
#define TEXT_OF_NAME(name) #name
#define TEXT_OF(macro) TEXT_OF_NAME(macro)

enum { INTERFACE = 9 }; /* version of the interface; scanners/scanner_choice.py accepts no other */

typedef struct {
    PyObject_HEAD
    Scan *scan;
    PyObject *spec;     /* owns the texts that scan->spec points to */
    PyObject *absorber; /* the only object that may absorb this one, NULL if any may */
    bool is_busy;
} ScanObject;

/* -- the spec ------------------------------------------------------------------------------------------------------ */

/* Converts a tuple of bytes to names. */
static bool read_names(PyObject *tuple, Names *names)
{
    const Py_ssize_t count = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    if (count < 0 || count > MAX_NAMES) {
        PyErr_Format(PyExc_ValueError, "want a tuple of at most %d byte strings", (int)MAX_NAMES);
        return false;
    }
    names->count = (size_t)count;
    for (Py_ssize_t i = 0; i < count; i++) {
        char *text;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(tuple, i), &text, &size) < 0) {
            return false;
        }
        names->names[i].text = text;
        names->names[i].size = (size_t)size;
    }
    return true;
}

static bool read_spec(PyObject *spec, ScanSpec *read)
{
    PyObject *keys, *kind_letters, *memory_name, *flows, *arrows, *phases, *names;
    char *kinds, *memory;
    Py_ssize_t kind_count, memory_size;
    unsigned long long seed;
    /* no "y#": built with the headers of Python 3.13 it fails in 3.10 to 3.12, for which the module is as well */
    if (!PyArg_ParseTuple(spec, "OOOOOOOK", &keys, &kind_letters, &memory_name, &flows, &arrows, &phases, &names,
                          &seed) ||
        PyBytes_AsStringAndSize(kind_letters, &kinds, &kind_count) < 0 ||
        PyBytes_AsStringAndSize(memory_name, &memory, &memory_size) < 0 || !read_names(keys, &read->keys) ||
        !read_names(flows, &read->flows) || !read_names(arrows, &read->arrows) ||
        !read_names(phases, &read->handed_phases) || !read_names(names, &read->handed_names)) {
        return false;
    }
    if ((size_t)kind_count != read->keys.count || read->handed_phases.count != read->handed_names.count) {
        PyErr_SetString(PyExc_ValueError, "want a kind for every key and a name for every phase");
        return false;
    }
    for (Py_ssize_t i = 0; i < kind_count; i++) {
        switch (kinds[i]) {
        case 'i':
            read->kinds[i] = COLUMN_INT;
            break;
        case 'f':
            read->kinds[i] = COLUMN_FLOAT;
            break;
        case 'j':
            read->kinds[i] = COLUMN_JSON;
            break;
        default:
            PyErr_SetString(PyExc_ValueError, "kinds are i, f and j");
            return false;
        }
    }
    read->memory.text = memory;
    read->memory.size = (size_t)memory_size;
    read->seed = seed;
    return true;
}

static PyObject *scan_object_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static const ScanSpec EMPTY = {0};
    ScanSpec spec = EMPTY;
    if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Scan takes no keyword arguments");
        return NULL;
    }
    if (!read_spec(args, &spec)) {
        return NULL;
    }
    const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    ScanObject *self = (ScanObject *)allocate(type, 0);
    if (self == NULL) {
        return NULL;
    }
    Py_INCREF(args);
    self->spec = args;
    self->scan = scan_new(&spec);
    if (self->scan == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void scan_object_dealloc(PyObject *object)
{
    ScanObject *self = (ScanObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (self->scan != NULL) {
        scan_free(self->scan);
    }
    Py_XDECREF(self->spec);
    Py_XDECREF(self->absorber);
    release(object);
    Py_DECREF(type);
}

/* The scan; NULL with an error set if it is finished or in use by another thread. */
static Scan *usable_scan(ScanObject *self)
{
    if (self->scan == NULL || self->is_busy) {
        PyErr_SetString(PyExc_RuntimeError, self->is_busy ? "the scan is in use by another thread" : "the scan is over");
        return NULL;
    }
    return self->scan;
}

/* -- scanning ------------------------------------------------------------------------------------------------------ */

static PyObject *scan_take(PyObject *object, PyObject *args)
{
    ScanObject *self = (ScanObject *)object;
    PyObject *bytes;
    Py_ssize_t start, stop, size;
    char *data;
    size_t end = 0;
    ScanEnd how;
    Scan *scan = usable_scan(self);
    if (scan == NULL || !PyArg_ParseTuple(args, "Snn", &bytes, &start, &stop) ||
        PyBytes_AsStringAndSize(bytes, &data, &size) < 0) {
        return NULL;
    }
    if (start < 0 || stop < start || size < stop) {
        PyErr_SetString(PyExc_ValueError, "want 0 <= start <= stop <= len(data)");
        return NULL;
    }
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS
    how = scan_block(scan, (Text)data, (size_t)start, (size_t)stop, &end);
    Py_END_ALLOW_THREADS
    self->is_busy = false;
    if (how == SCAN_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    return PyLong_FromSsize_t(how == SCAN_FOREIGN ? -1 - (Py_ssize_t)end : (Py_ssize_t)end);
}

static PyObject *scan_settle(PyObject *object, PyObject *keep)
{
    Scan *scan = usable_scan((ScanObject *)object);
    const int is_kept = PyObject_IsTrue(keep);
    if (scan == NULL || is_kept < 0) {
        return NULL;
    }
    if (!is_kept) {
        scan_undo(scan);
    } else if (!scan_keep(scan)) {
        scan_undo(scan);
        return PyErr_NoMemory();
    }
    Py_RETURN_NONE;
}

static PyObject *scan_absorb_other(PyObject *object, PyObject *argument)
{
    ScanObject *self = (ScanObject *)object, *other = (ScanObject *)argument;
    Scan *scan = usable_scan(self);
    bool done;
    if (scan == NULL) {
        return NULL;
    }
    if (!PyObject_TypeCheck(argument, Py_TYPE(object))) {
        PyErr_SetString(PyExc_TypeError, "want a Scan");
        return NULL;
    }
    if (usable_scan(other) == NULL) {
        return NULL;
    }
    if (!scan_fits(scan, other->scan) || self->absorber != NULL ||
        (other->absorber != NULL && other->absorber != object)) {
        PyErr_SetString(PyExc_ValueError, "want another Scan, of the same columns, that no other one has absorbed");
        return NULL;
    }
    if (other->absorber == NULL) {
        Py_INCREF(object);
        other->absorber = object;
    }
    self->is_busy = other->is_busy = true;
    Py_BEGIN_ALLOW_THREADS
    done = scan_absorb(scan, other->scan);
    Py_END_ALLOW_THREADS
    self->is_busy = other->is_busy = false;
    if (!done) {
        return PyErr_NoMemory();
    }
    Py_RETURN_NONE;
}

static PyObject *bytes_of(const Array *array)
{
    return PyBytes_FromStringAndSize(array->count == 0 ? "" : array->items, (Py_ssize_t)(array->count * array->size));
}

static PyObject *scan_handed(PyObject *object, PyObject *unused)
{
    Scan *scan = usable_scan((ScanObject *)object);
    (void)unused;
    return scan == NULL ? NULL : bytes_of(&scan->handed);
}

static PyObject *scan_counts(PyObject *object, void *unused)
{
    ScanObject *self = (ScanObject *)object;
    const Scan *scan = usable_scan(self);
    (void)unused;
    return scan == NULL ? NULL
                        : Py_BuildValue("(Lnnn)", (long long)scan->tally.seen, (Py_ssize_t)scan->name.count,
                                        (Py_ssize_t)scan->flow_id.count, (Py_ssize_t)scan->arrow_id.count);
}

static PyObject *scan_ends_with_event(PyObject *object, void *unused)
{
    const Scan *scan = usable_scan((ScanObject *)object);
    (void)unused;
    return scan == NULL ? NULL : PyBool_FromLong(scan->ends_with_event);
}

/* -- the columns --------------------------------------------------------------------------------------------------- */

/* Puts a new object into a dictionary and drops its reference; false if it is NULL or on error. */
static bool put(PyObject *columns, const char *key, PyObject *made)
{
    const bool done = made != NULL && PyDict_SetItemString(columns, key, made) == 0;
    Py_XDECREF(made);
    return done;
}

/* The rows object of another column with equal rows, to share it: arguments come in groups. NULL if there is none. */
static PyObject *same_rows(PyObject *columns, const Array *rows)
{
    for (Py_ssize_t i = PyList_Size(columns); rows->count > 0 && i-- > 0;) {
        PyObject *others = PyDict_GetItemString(PyList_GetItem(columns, i), "rows");
        const Array *items = others == NULL ? NULL : items_of(others);
        if (items != NULL && items->count == rows->count &&
            memcmp(items->items, rows->items, rows->count * rows->size) == 0) {
            return others;
        }
    }
    return NULL;
}

static bool put_argument(PyTypeObject *type, PyObject *list, Column *column)
{
    PyObject *parts = PyDict_New(), *rows = same_rows(list, &column->rows);
    Py_XINCREF(rows);
    const bool done = parts != NULL && put(parts, "rows", rows != NULL ? rows : column_of(type, &column->rows)) &&
                      put(parts, "values", column_of(type, &column->values)) &&
                      put(parts, "odd_rows", column_of(type, &column->odd_rows)) &&
                      put(parts, "odd_texts", column_of(type, &column->odd_texts)) && PyList_Append(list, parts) == 0;
    Py_XDECREF(parts);
    return done;
}

static bool put_counts(PyObject *columns, const Tally *tally)
{
    const struct {
        const char *key;
        int64_t count;
    } counts[] = {
        {"seen", tally->seen},
        {"not_objects", tally->not_objects},
        {"bent", tally->bent},
        {"without_name", tally->without_name},
        {"without_ts", tally->without_ts},
        {"without_dur", tally->without_dur},
        {"without_flow_id", tally->without_flow_id},
        {"without_cat", tally->without_cat},
        {"without_place", tally->without_place},
        {"negative", tally->negative},
        {"rounded", tally->rounded},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!put(columns, counts[i].key, PyLong_FromLongLong(counts[i].count))) {
            return false;
        }
    }
    return true;
}

static PyObject *scan_finish(PyObject *object, PyObject *unused)
{
    ScanObject *self = (ScanObject *)object;
    Scan *scan = usable_scan(self);
    (void)unused;
    if (scan == NULL) {
        return NULL;
    }
    scan_undo(scan);
    scan_close(scan);
    const struct {
        const char *key;
        Array *array;
    } arrays[] = {
        {"name", &scan->name},
        {"category", &scan->category},
        {"lane", &scan->lane},
        {"start_ns", &scan->start_ns},
        {"dur_ns", &scan->dur_ns},
        {"complete", &scan->complete},
        {"lane_pid", &scan->lanes.firsts},
        {"lane_tid", &scan->lanes.seconds},
        {"flow_is_start", &scan->flow_is_start},
        {"flow_id", &scan->flow_id},
        {"flow_ns", &scan->flow_ns},
        {"arrow_is_start", &scan->arrow_is_start},
        {"arrow_id", &scan->arrow_id},
        {"arrow_lane", &scan->arrow_lane},
        {"arrow_ns", &scan->arrow_ns},
        {"skipped_phase", &scan->skipped.firsts},
        {"skipped_category", &scan->skipped.seconds},
        {"skipped_count", &scan->skipped_count},
    };
    PyObject *columns = PyDict_New(), *arguments = PyList_New(0);
    PyObject *module = PyType_GetModule(Py_TYPE(object));
    PyTypeObject *type = module == NULL ? NULL : (PyTypeObject *)PyObject_GetAttrString(module, "Column");
    bool done = columns != NULL && arguments != NULL && type != NULL && put_counts(columns, &scan->tally) &&
                put(columns, "texts", bytes_of(&scan->texts.bytes)) && put(columns, "text_ends", bytes_of(&scan->texts.ends));
    array_free(&scan->texts.bytes);
    for (size_t i = 0; done && i < sizeof arrays / sizeof *arrays; i++) {
        done = put(columns, arrays[i].key, column_of(type, arrays[i].array));
    }
    for (size_t i = 0; done && i < scan->spec.keys.count; i++) {
        done = put_argument(type, arguments, &scan->columns[i]);
    }
    done = done && PyDict_SetItemString(columns, "arguments", arguments) == 0;
    Py_XDECREF(arguments);
    Py_XDECREF((PyObject *)type);
    scan_free(scan);
    self->scan = NULL;
    if (!done) {
        Py_CLEAR(columns);
    }
    return columns;
}

/* -- the module ---------------------------------------------------------------------------------------------------- */

static PyMethodDef SCAN_METHODS[] = {
    {"take", scan_take, METH_VARARGS,
     "take(data, start, stop) -> end\n\n"
     "Reads the elements of data[start:stop]. Returns `stop` if all were taken. A negative result is -1 - end: elements\n"
     "before `end` were taken, the one at `end` is not understood. Any other result is the position of a closing\n"
     "bracket; the elements before it are pending until settle()."},
    {"settle", scan_settle, METH_O, "settle(keep) keeps or discards the pending elements before a closing bracket."},
    {"absorb", scan_absorb_other, METH_O,
     "absorb(other) appends the elements of `other`, a Scan of the same columns, and empties it. `other` may be used again,\n"
     "but absorbed only by this Scan."},
    {"handed", scan_handed, METH_NOARGS, "handed() -> JSON array of the latest block's elements left to the caller."},
    {"finish", scan_finish, METH_NOARGS, "finish() -> dict of columns, with texts as bytes; may be called once."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef SCAN_ATTRIBUTES[] = {
    {"counts", scan_counts, NULL, "(elements, rows, flows, arrows) so far.", NULL},
    {"ends_with_event", scan_ends_with_event, NULL, "Whether the latest element is an object with a phase.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static char SCAN_DOC[] =
    "Scan(keys, kinds, memory, flows, arrows, handed_phases, handed_names, seed)\n\n"
    "keys           argument keys (tuple of bytes); `kinds` has a letter for each: i, f or j\n"
    "memory         name of the instant events to keep\n"
    "flows          lower-case categories of arrows to keep\n"
    "arrows         lower-case categories of arrows to keep with their lane, and to count as skipped\n"
    "handed_phases  phases of elements left to the caller, if they also have the name in handed_names (for phase X: the\n"
    "               category) or that is empty\n"
    "seed           seed of the hashes";

static PyType_Slot SCAN_SLOTS[] = {
    {Py_tp_doc, SCAN_DOC},
    {Py_tp_new, (void *)scan_object_new},
    {Py_tp_dealloc, (void *)scan_object_dealloc},
    {Py_tp_methods, SCAN_METHODS},
    {Py_tp_getset, SCAN_ATTRIBUTES},
    {0, NULL},
};

static PyType_Spec SCAN_SPEC = {
    "tb_perfcompare.sources.native._scanner.Scan", (int)sizeof(ScanObject), 0, Py_TPFLAGS_DEFAULT, SCAN_SLOTS,
};

static int fill_module(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &SCAN_SPEC, NULL);
    const bool done = type != NULL && PyModule_AddType(module, (PyTypeObject *)type) == 0;
    Py_XDECREF(type);
    if (!done || add_column_type(module) < 0 || add_column_functions(module) < 0 || PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0) {
        return -1;
    }
    /* the hash has the prefix h, which makes it an identifier for the preprocessor */
    return PyModule_AddStringConstant(module, "SOURCE_HASH", &TEXT_OF(TB_PERFCOMPARE_SOURCE_HASH)[1]);
}

static PyModuleDef_Slot MODULE_SLOTS[] = {
    {Py_mod_exec, (void *)fill_module},
    {0, NULL},
};

static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_scanner", "Elements of traceEvents to columns; see sources/trace/scanners/native_scanner.py.", 0, NULL,
    MODULE_SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__scanner(void)
{
    return PyModuleDef_Init(&MODULE);
}
