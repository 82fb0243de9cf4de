"""Defaults of a plug-in's options: they stand in its ``OPTIONS``, once."""


def with_defaults(schemas: dict[str, dict], given: dict, preset: str | None = None) -> dict:
    """Return every option of a plug-in: as given, else what the preset says, else the ``default``.

    Args:
        schemas: a plug-in's ``OPTIONS``; each has a ``default``, and ``presets`` where one differs from it.
        given: options of its config entry, any of them.
        preset: clean, paper or reference, where the plug-in knows presets.

    Example:
        >>> with_defaults({"k1": {"default": 1.5}, "b": {"default": 0.75}}, {"b": 0.5})
        {'k1': 1.5, 'b': 0.5}
        >>> with_defaults({"tokens": {"default": None, "presets": {"reference": 33}}}, {}, "reference")
        {'tokens': 33}
    """
    return {
        name: given.get(name, schema.get("presets", {}).get(preset, schema["default"]))
        for name, schema in schemas.items()
    }
