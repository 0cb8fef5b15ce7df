"""Matches the different spellings of one kernel in a trace, a kernel listing and a kernel profiler's export.

torch.profiler demangles like c++filt:
    void at::native::elementwise_kernel<4, at::native::Add<float> >(int, at::native::Add<float>)
ncu has its own demangler: casts before numbers, parameters as T1, T2, `[lambda(int) (instance 1)]` for
`{lambda(int)#1}`, `<unnamed>` for `(anonymous namespace)`, return types of functions inside template arguments:
    void at::native::elementwise_kernel<(int)4, at::native::Add<float>>(int, T2)
With --print-kernel-base function it writes only `elementwise_kernel`. Kernel listings do the same and may truncate it
(`elementwise_ker...`).
"""

from __future__ import annotations

from tb_perfcompare.lazy_regex import regex
from tb_perfcompare.model.names.join_keys import kernel_key
from tb_perfcompare.quick_dataclass import dataclass

CUT = "..."
"""Ends a name that was truncated to the width of its column."""

_UNNAMED = regex(r"(?:\(anonymous namespace\)|<unnamed>|\{anonymous\})::")
_UNNAMED_CUT = regex(r"(?<=[:, <])<[a-z]*>?:?$")
_LAMBDA = regex(r"\[(lambda\w*)(.*?) \(instance (\d+)\)\]")
_CAST = regex(r"\((?:[A-Za-z_][\w:]*(?: [A-Za-z_]\w*)*)\)(?=-?\d)")
_SUFFIX = regex(r"(?<![\w.])(-?\d+)[uUlL]+\b")
_SUFFIXED = regex(r"\d[uUlL]")
_RETURN_TYPE = regex(r"\bvoid (?=[A-Za-z_])")
_CONST = regex(r"\bconst\b")
_QUALIFIER = regex(r"(?<![\w}])(?:\w+::)+(?=\w)")
_UNFINISHED = regex(r"(?:\[[^\]]*|\bvoid )?[\w:]*$")
_BOOLEANS = (("true", regex(r"\btrue\b"), "1"), ("false", regex(r"\bfalse\b"), "0"))
_BRACKET = regex(r"[<>(){}\[\] :]")
_PARENTHESIS = regex(r"([()])")


@dataclass(frozen=True, slots=True)
class KernelForms:
    """Names of a kernel, from the most to the least specific.

    key       the name with runs of blanks collapsed (model/names/join_keys.py)
    full      function and template arguments in a form common to all demanglers, without parameters and return type
    function  qualified name of the function alone
    is_short  the name has neither template arguments nor parameters: it may mean several kernels
    """

    key: str
    full: str
    function: str
    is_short: bool


def kernel_forms(name: str) -> KernelForms:
    """All forms of a complete (not truncated) name."""
    key = kernel_key(name)
    text = _common_form(key)
    function, arguments = _split(text)
    is_short = "<" not in key and "(" not in key
    return KernelForms(key, function + _without_qualifiers(_without_parameters(arguments)), function, is_short)


def kernel_function(name: str) -> str:
    """The qualified function name alone: KernelForms.function."""
    return _split(_common_form(kernel_key(name)))[0]


def is_cut(name: str) -> bool:
    return name.rstrip().endswith((CUT, "…"))


def cut_prefixes(name: str) -> tuple[str, ...]:
    """Prefixes shared by the forms of all kernels that a truncated name may mean.

    The remaining text as written and, if it reaches into the template arguments, its form common to all demanglers up
    to the last complete word.
    """
    left = kernel_key(name.rstrip().removesuffix(CUT).removesuffix("…"))
    if "<" not in left:
        return (left,)
    function, arguments = _split(_common_form(_UNNAMED_CUT.sub("", left)))
    return (left, function + _without_qualifiers(_UNFINISHED.sub("", _without_parameters(arguments))))


def tails(function: str) -> list[str]:
    """The qualified name and its shortenings by outer namespaces: `a::b::f`, `b::f`, `f`."""
    parts = function.split("::")
    return ["::".join(parts[start:]) for start in range(len(parts))]


def _common_form(key: str) -> str:
    """The name without all that demanglers write differently, except blanks and parameters.

    Checking for a required substring first takes a tenth of the pattern's time.
    """
    text = key
    while "[lambda" in text and (again := _LAMBDA.sub(r"{\1\2#\3}", text)) != text:
        text = again
    text = _CAST.sub("", _UNNAMED.sub("", text))
    for word, pattern, digit in _BOOLEANS:
        if word in text:
            text = pattern.sub(digit, text)
    if _SUFFIXED.search(text):
        text = _SUFFIX.sub(r"\1", text)
    return _CONST.sub("", text) if "const" in text else text


def _split(text: str) -> tuple[str, str]:
    """(qualified function, template arguments) of a name or a prefix of one."""
    start, depth, end = 0, 0, len(text)
    angle = -1
    for bracket in _BRACKET.finditer(text):
        char, at = bracket[0], bracket.start()
        if char in "<([{":
            if not depth and char == "(" and at > start:
                end = at  # the parameters
                break
            if not depth and char == "<" and at > start:
                angle = at
            depth += 1
        elif char in ">)]}":
            depth -= 1
        elif char == " " and not depth:
            start, angle = at + 1, -1  # the text so far was the return type
        elif char == ":" and not depth and angle >= 0:
            angle = -1  # a class template's arguments; its member is the function
    function = text[start : angle if angle >= 0 else end].strip()
    return function, "" if angle < 0 else text[angle:end]


def _without_parameters(text: str) -> str:
    out: list[str] = []
    depth = 0
    for piece in _PARENTHESIS.split(text):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(0, depth - 1)
        elif not depth:
            out.append(piece)
    return "".join(out)


def _without_qualifiers(arguments: str) -> str:
    """Template arguments without blanks, return types and namespaces, which ncu omits when it repeats one."""
    return _QUALIFIER.sub("", _RETURN_TYPE.sub("", arguments)).replace(" ", "")
