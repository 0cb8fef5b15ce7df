"""The sentence on contention for the CPU or the device."""

LOOK_AT_CPU = "other processes and threads on these cores, more threads than cores, CPU limits of the container"
"""What to look at if other work takes the CPU."""


def contention(of: str, delta: float, facts: str) -> str:
    """Says that other work takes `of`, or no longer does if `delta` is negative. `facts`: what that changed."""
    device = of if of == "CPU" else "device"
    what = f"{device[0].upper()}{device[1:]} contention" if delta > 0 else f"Less {device} contention"
    return f"{what}: {facts}; other work {'is taking' if delta > 0 else 'no longer takes'} the {of}."
