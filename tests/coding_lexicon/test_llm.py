"""The llm tutor against a stub server on this machine: retries, cache, refusals, dry-run."""

import json
import re

import pytest
from jsonschema import Draft202012Validator
from tests.coding_lexicon.stub import said

from clinbench.coding.lexicon.hierarchy import Hierarchy
from clinbench.coding.supervision.answers import Topic, answer_schema
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.tutors.llm import FIRST, LlmTutor, cost, estimate, require_open
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
            last = lines[-1].split(": ")[1]
            salt = f"{body['seed']} {len(examples)} {len(lines)} {last}"
            examples.append(
                {"code": code, "query": f"q {title} {salt}"[:150], "positive": f"p {title}", "negatives": []}
            )
        else:
            code, title = re.match(r"   negative (\S+): (.*)", line).groups()
            examples[-1]["negatives"].append({"code": code, "text": title})
    return said({"examples": examples})


def test_examples_are_made_checked_and_resumed(stub, tmp_path, monkeypatch):
    stub.answer = worded
    monkeypatch.setattr("clinbench.coding.supervision.turns.MAX_SHARE", 0.5)  # few codes for many examples
    tutor = LlmTutor(HIERARCHY, languages=None, hard=2, soft=1, batch=2)
    examples, report = tutor.make(chat(stub, tmp_path), 8, ("en", "fr"), seed=1)
    assert report["by_language"] == {"en": 4, "fr": 4} and report["asked_for"] == 8
    assert report["usage"]["prompt_tokens"] == 10 * len(stub.seen)
    for example in examples:
        assert example["meta"] == {"generator": "llm", "prompt_id": "clinical-mention/2", "seed": 1}
        assert all(item["code"][0] == example["code"][0] for item in example["hard_negatives"])
        assert all(item["code"][0] != example["code"][0] for item in example["soft_negatives"])
    asked = len(stub.seen)
    assert tutor.make(chat(stub, tmp_path), 8, ("en", "fr"), seed=1)[0] == examples
    assert len(stub.seen) == asked


def changed(change):
    """Answer as a good model would, but for a change of the examples."""

    def answer(body):
        found = json.loads(worded(body)["choices"][0]["message"]["content"])
        return said({"examples": change(found["examples"])})

    return answer


def each(**values):
    return changed(
        lambda examples: [example | {k: v(example) for k, v in values.items()} for example in examples]
    )


def made(stub, folder, answer, count=4, batch=4):
    stub.answer = answer
    return LlmTutor(HIERARCHY, None, 2, 1, batch).make(chat(stub, folder), count, ("en",))


def test_an_answer_in_another_order_is_matched_by_its_codes(stub, tmp_path):
    def shuffled(examples):
        turned = [example | {"negatives": example["negatives"][::-1]} for example in examples]
        return turned[1:] + turned[:1]

    examples, report = made(stub, tmp_path, changed(shuffled))
    assert len(examples) == 4 and not any(report["refused"].values()) and report["unanswered"] == 0
    for example in examples:
        assert HIERARCHY.titles[example["code"]] in example["query"]
        negatives = example["hard_negatives"] + example["soft_negatives"]
        assert len(negatives) == 3
        assert all(item["text"] == HIERARCHY.titles[item["code"]] for item in negatives)


def test_wordings_that_were_not_asked_for_are_counted_and_the_others_taken(stub, tmp_path):
    def strange(examples):
        first, second, third, fourth = examples
        return [
            first | {"code": "Z99"},
            second,
            second,
            third | {"negatives": third["negatives"][:1]},
            fourth | {"negatives": [item | {"code": "Z99"} for item in fourth["negatives"]]},
        ]

    examples, report = made(stub, tmp_path, changed(strange), count=2)
    # One request of four codes, a second of the spare: one example of each.
    assert len(examples) == 2 and len(stub.seen) == 2
    refused = {reason: number for reason, number in report["refused"].items() if number}
    assert refused == {"wrong_code": 4, "wrong_negatives": 4, "left_out": 2}


@pytest.mark.parametrize(
    ("reason", "answer"),
    [
        ("same_text 6", each(query=lambda example: example["positive"])),
        ("wrong_code 6, left_out 6", each(code=lambda example: "Z99")),
        ("wrong_negatives 6", each(negatives=lambda example: example["negatives"][:1])),
        ("length 6", each(positive=lambda example: "p" * 201)),
        ("unanswered 3", lambda body: said("no json")),
    ],
)
def test_far_fewer_examples_than_asked_for_are_an_error_that_says_why(stub, tmp_path, reason, answer):
    # Three requests of two for four wanted, with the spare.
    with pytest.raises(UserError, match=rf"0 of the 4 examples asked for in 'en'.*{reason}.*model"):
        made(stub, tmp_path, answer, batch=2)


def test_a_model_that_cannot_do_it_is_given_up_early(stub, tmp_path, monkeypatch):
    monkeypatch.setattr("clinbench.coding.supervision.turns.MAX_SHARE", 0.5)
    with pytest.raises(UserError, match="0 of the 100 examples"):
        made(stub, tmp_path, each(code=lambda example: "Z99"), count=100, batch=2)
    assert len(stub.seen) == FIRST


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


def test_the_answer_schema_wants_each_code_with_its_own_negatives():
    topics = [Topic("I10", ("I11", "I12"), ("J45",)), Topic("I11", ("I10",), ()), Topic("I12", (), ())]
    schema = answer_schema(topics)
    Draft202012Validator.check_schema(schema)
    fits = Draft202012Validator(schema).is_valid
    good = [
        {
            "code": topic.code,
            "query": "q",
            "positive": "p",
            "negatives": [{"code": code, "text": "n"} for code in topic.negatives],
        }
        for topic in topics
    ]
    assert fits({"examples": good}) and fits({"examples": good[::-1]})
    for at in range(3):
        others = [{"negatives": good[other]["negatives"]} for other in range(3) if other != at]
        for change in ({"code": "Z99"}, {"more": 1}, {"query": ""}, *others):
            assert not fits({"examples": [*good[:at], good[at] | change, *good[at + 1 :]]})
        assert not fits({"examples": good[:at] + good[at + 1 :]})


def test_credentialed_sources_are_refused():
    require_open({"codiesp": "open"})
    with pytest.raises(UserError, match="mine is credentialed"):
        require_open({"codiesp": "open", "mine": "credentialed"})
