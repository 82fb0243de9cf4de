"""Defaults of a plug-in's options: they stand in its ``OPTIONS``, once."""


def with_defaults(schemas: dict[str, dict], given: dict) -> dict:
    """Return every option of a plug-in: as given, else the ``default`` of its schema.

    Args:
        schemas: a plug-in's ``OPTIONS``; each has a ``default``.
        given: options of its config entry, any of them.

    Example:
        >>> with_defaults({"k1": {"default": 1.5}, "b": {"default": 0.75}}, {"b": 0.5})
        {'k1': 1.5, 'b': 0.5}
    """
    return {name: given.get(name, schema["default"]) for name, schema in schemas.items()}
