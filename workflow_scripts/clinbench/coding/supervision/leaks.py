"""The leak guard: how many queries of data set A are mentions that an evaluation asks for."""

from collections.abc import Mapping

from clinbench.coding.text import fold


def leak_report(examples: list[dict], evaluation: Mapping[str, set[str]]) -> dict[str, dict]:
    """Compare the queries with the mentions of each evaluation set; no text is returned.

    Args:
        examples: of data set A.
        evaluation: name of a set to its folded mentions.

    Returns:
        By set: ``queries`` equal to a mention (folded) and their ``share`` of A, and the
        ``mentions`` found in A and their ``mention_share``; shares are None where there is nothing to share.
    """
    queries = [fold(example["query"]) for example in examples]
    report = {}
    for name, mentions in evaluation.items():
        equal = sum(query in mentions for query in queries)
        found = len(mentions & set(queries))
        report[name] = {
            "queries": equal,
            "share": equal / len(queries) if queries else None,
            "mentions": found,
            "mention_share": found / len(mentions) if mentions else None,
        }
    return report
