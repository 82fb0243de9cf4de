"""Make data set A as the configuration says, with either tutor."""

from collections.abc import Mapping
from pathlib import Path

from clinbench.coding.lexicon.hierarchy import Hierarchy, load_hierarchy
from clinbench.coding.lexicon.terms import load_terms
from clinbench.coding.lexicon.tsvfile import files_digest
from clinbench.coding.lexicon.vocabulary import load_vocabulary
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.languages import LanguageGuess, known_texts
from clinbench.coding.supervision.turns import held_out
from clinbench.coding.supervision.tutors.lexicon import LexiconTutor
from clinbench.coding.supervision.tutors.llm import LlmTutor, cost, estimate, require_open
from clinbench.errors import UserError


def build(
    settings: dict, evaluation: Mapping[str, set[str]], sources: Mapping[str, str], cache: Path
) -> tuple[list[dict], dict]:
    """Return data set A and its report.

    Args:
        settings: ``coding.supervision`` of the configuration.
        evaluation: name of an evaluation set to its folded mentions, for the leak guard.
        sources: name of every input to its access; the llm tutor takes open ones only.
        cache: folder of the llm tutor's answers.
    """
    hierarchy = load_hierarchy()
    without = _held_out(settings, hierarchy)
    strict, langs, seed = settings["leak_guard"] == "strict", settings["languages"], settings["seed"]
    if settings["tutor"] == "lexicon":
        tutor = _lexicon_tutor(settings, hierarchy)
        examples, report = tutor.make(settings["examples"], langs, seed, evaluation, strict, without)
    else:
        require_open(sources)
        chat, llm = _chat(settings["llm"], cache), _llm_tutor(settings, hierarchy)
        examples, report = llm.make(chat, settings["examples"], langs, seed, evaluation, strict, without)
        used = report["usage"]
        report["cost"] = cost(used["prompt_tokens"], used["completion_tokens"], settings["llm"]["prices"])
    return examples, report | {"lexicon": files_digest(), "settings": settings}


def dry_run(settings: dict) -> tuple[list[list[dict[str, str]]], dict]:
    """Return the llm tutor's prompts and an estimate of its cost; nothing is sent."""
    hierarchy = load_hierarchy()
    tutor = _llm_tutor(settings, hierarchy)
    without = _held_out(settings, hierarchy)
    prompts = tutor.prompts(settings["examples"], settings["languages"], settings["seed"], without)
    return prompts, estimate(prompts, settings["examples"], settings["llm"]["prices"])


def _held_out(settings: dict, hierarchy: Hierarchy) -> set[str]:
    return held_out({code[:3] for code in hierarchy.titles}, settings["held_out"])


def _lexicon_tutor(settings: dict, hierarchy: Hierarchy) -> LexiconTutor:
    lexicon, vocabulary = load_terms(known=hierarchy.titles), load_vocabulary()
    counts = settings["hard_negatives"], settings["soft_negatives"]
    return LexiconTutor(lexicon, vocabulary, hierarchy, settings["noise"], *counts)


def _llm_tutor(settings: dict, hierarchy: Hierarchy) -> LlmTutor:
    languages = LanguageGuess(known_texts(load_terms(), load_vocabulary()))
    counts = settings["hard_negatives"], settings["soft_negatives"]
    return LlmTutor(hierarchy, languages, *counts, settings["llm"]["batch"])


def _chat(llm: dict, cache: Path) -> Chat:
    missing = [key for key in ("base_url", "model") if not llm[key]]
    if missing:
        raise UserError(
            f"coding.supervision.tutor is llm, but coding.supervision.llm has no {' and no '.join(missing)}. Name "
            "an OpenAI-compatible endpoint and its model, or take tutor: lexicon."
        )
    return Chat(
        llm["base_url"], llm["model"], llm["key_variable"], cache, llm["temperature"], llm["attempts"]
    )
