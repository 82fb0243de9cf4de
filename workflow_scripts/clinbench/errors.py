"""The one error type for mistakes a user can mend."""

from collections.abc import Iterable


class UserError(ValueError):
    """A mistake in data, configuration or usage, told in words a user can act on.

    The message says what is wrong, where (file, line, column, value) and what
    to write or do instead. Library code raises nothing else on purpose.
    """


def refuse(problems: Iterable[str], headline: str, limit: int = 10) -> None:
    """Raise one ``UserError`` listing all problems, or return if there are none.

    Args:
        problems: one sentence each.
        headline: what was being read or checked.
        limit: how many problems are printed in full; the rest are counted.
    """
    found = list(problems)
    if not found:
        return
    lines = [f"  - {problem}" for problem in found[:limit]]
    if len(found) > limit:
        lines.append(f"  … and {len(found) - limit} more of {len(found)}")
    raise UserError("\n".join([headline, *lines]))


def closest(word: str, choices: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest choice, or an empty string."""
    from difflib import get_close_matches

    near = get_close_matches(str(word), [str(choice) for choice in choices], n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
