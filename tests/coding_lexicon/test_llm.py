"""The llm tutor against a stub server on this machine: retries, cache, refusals, dry-run."""

import json
import re

import pytest
from tests.coding_lexicon.stub import said

from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.tutors.llm import (
    LlmTutor,
    Topic,
    answer_schema,
    cost,
    estimate,
    require_open,
)
from clinbench.errors import UserError

CATEGORIES = ("I10", "I11", "I12", "I13", "J45", "J18", "J20", "J30")
HIERARCHY = Hierarchy(
    {code: f"condition {code.lower()[0]} number {code[1:]}" for code in CATEGORIES},
    {code: f"{code[0]}00-{code[0]}99" for code in CATEGORIES},
)
SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
MESSAGES = [{"role": "user", "content": "hello"}]


def chat(stub, folder, waits=None, **options):
    return Chat(stub.url, "tiny", None, folder, sleep=(waits if waits is not None else []).append, **options)


def test_a_passing_failure_is_retried_with_back_off(stub, tmp_path):
    stub.plan = [(500, {}, {}), (429, {}, {"Retry-After": "7"}), (503, {}, {}), (200, said({"ok": True}), {})]
    asking = chat(stub, tmp_path, waits := [])
    assert asking.ask(MESSAGES, SCHEMA, seed=3) == {"ok": True}
    assert waits == [1.0, 7.0, 4.0]
    path, _, body = stub.seen[-1]
    assert path == "/v1/chat/completions"
    assert (body["model"], body["seed"], body["messages"]) == ("tiny", 3, MESSAGES)
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA


def test_answers_that_do_not_fit_are_asked_for_again_and_nothing_is_paid_twice(stub, tmp_path):
    stub.plan = [(200, said(text), {}) for text in ("no json", {"ok": "yes"}, {"ok": True})]
    first = chat(stub, tmp_path)
    assert first.ask(MESSAGES, SCHEMA, seed=0) == {"ok": True}
    assert first.usage == {
        "requests": 3,
        "cached": 0,
        "retries": 2,
        "prompt_tokens": 30,
        "completion_tokens": 12,
    }
    again = chat(stub, tmp_path)
    assert again.ask(MESSAGES, SCHEMA, seed=0) == {"ok": True}
    assert (again.usage["requests"], again.usage["cached"], len(stub.seen)) == (0, 3, 3)
    stub.answer = lambda body: said("still no json")
    assert chat(stub, tmp_path, attempts=2).ask([{"role": "user", "content": "else"}], SCHEMA, 0) is None


def test_a_lasting_refusal_is_told(stub, tmp_path):
    stub.plan = [(401, {"error": "bad key"}, {})]
    with pytest.raises(UserError, match="401.*bad key.*key_variable"):
        chat(stub, tmp_path).ask(MESSAGES, SCHEMA, 0)
    assert not list(tmp_path.iterdir())
    stub.plan = [(500, {}, {})] * 3
    with pytest.raises(UserError, match="no answer after 3 tries.*run again"):
        chat(stub, tmp_path, attempts=3).ask(MESSAGES, SCHEMA, 0)


def test_the_key_comes_from_the_environment_and_stays_out_of_the_cache(stub, tmp_path, monkeypatch):
    with pytest.raises(UserError, match="LEXICON_TEST_KEY, which is not set"):
        Chat(stub.url, "tiny", "LEXICON_TEST_KEY", tmp_path)
    monkeypatch.setenv("LEXICON_TEST_KEY", "sesame")
    stub.plan = [(200, said({"ok": True}), {})]
    Chat(stub.url, "tiny", "LEXICON_TEST_KEY", tmp_path).ask(MESSAGES, SCHEMA, 0)
    assert stub.seen[0][1]["Authorization"] == "Bearer sesame"
    assert not any("sesame" in file.read_text() for file in tmp_path.iterdir())


def worded(body):
    """Answer a prompt of the tutor as a good model would."""
    lines = body["messages"][1]["content"].split("\n")
    examples = []
    for line in lines:
        if found := re.match(r"(\d+)\. code (\S+): (.*)", line):
            code, title = found[2], found[3]
            salt = f"{body['seed']} {len(examples)} {len(lines)} {lines[-1]}"
            examples.append(
                {"code": code, "query": f"q {title} {salt}"[:150], "positive": f"p {title}", "negatives": []}
            )
        else:
            examples[-1]["negatives"].append(line.split("negative: ")[1])
    return said({"examples": examples})


def test_examples_are_made_checked_and_resumed(stub, tmp_path, monkeypatch):
    stub.answer = worded
    monkeypatch.setattr("clinbench.coding.supervision.turns.MAX_SHARE", 0.5)  # few codes for many examples
    tutor = LlmTutor(HIERARCHY, languages=None, hard=2, soft=1, batch=2)
    examples, report = tutor.make(chat(stub, tmp_path), 8, ("en", "fr"), seed=1)
    assert report["by_language"] == {"en": 4, "fr": 4} and report["asked_for"] == 8
    assert report["usage"]["prompt_tokens"] == 10 * len(stub.seen)
    for example in examples:
        assert example["meta"] == {"generator": "llm", "prompt_id": "clinical-mention/1", "seed": 1}
        assert all(item["code"][0] == example["code"][0] for item in example["hard_negatives"])
        assert all(item["code"][0] != example["code"][0] for item in example["soft_negatives"])
    asked = len(stub.seen)
    assert tutor.make(chat(stub, tmp_path), 8, ("en", "fr"), seed=1)[0] == examples
    assert len(stub.seen) == asked


def test_bad_examples_are_refused_and_counted(stub, tmp_path):
    def copying(body):
        answer = json.loads(worded(body)["choices"][0]["message"]["content"])
        for example in answer["examples"]:
            example["query"] = example["positive"]
        return said(answer)

    stub.answer = copying
    examples, report = LlmTutor(HIERARCHY, None, 2, 1, batch=2).make(chat(stub, tmp_path), 4, ("en",))
    assert examples == []
    assert report["refused"]["same_text"] == 6  # three requests of two for four wanted, with the spare


def test_a_dry_run_sends_nothing_and_estimates(stub):
    tutor = LlmTutor(HIERARCHY, None, 2, 1, batch=4)
    prompts = tutor.prompts(8, ("en", "ca"))
    assert len(prompts) == 2 and not stub.seen
    assert "Catalan" in prompts[1][0]["content"] and "condition" in prompts[1][1]["content"]
    told = estimate(prompts, 8, {"input": 1.0, "output": 2.0})
    characters = sum(len(message["content"]) for prompt in prompts for message in prompt)
    assert told["prompt_tokens"] == characters // 4
    assert told["cost"] == pytest.approx((told["prompt_tokens"] + 2 * told["completion_tokens"]) / 1e6)
    assert cost(1, 1, {"input": None, "output": 2.0}) is None


def test_the_answer_schema_wants_every_code_and_negative():
    schema = answer_schema([Topic("I10", ("I11",), ("J45",)), Topic("I11", ("I10",), ("J45",))])
    item = schema["properties"]["examples"]["items"]["properties"]
    assert item["code"]["enum"] == ["I10", "I11"]
    assert (item["negatives"]["minItems"], item["negatives"]["maxItems"]) == (2, 2)


def test_credentialed_sources_are_refused():
    require_open({"codiesp": "open"})
    with pytest.raises(UserError, match="mine is credentialed"):
        require_open({"codiesp": "open", "mine": "credentialed"})
