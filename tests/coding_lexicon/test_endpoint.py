"""The key goes to its endpoint alone and is never told; whatever comes back is an answer or our own error."""

import json

import pytest
from tests.coding_lexicon.stub import Stub, said
from tests.fuzz.damage import usual

from clinbench.coding.supervision.chat import Chat
from clinbench.errors import UserError

KEY = 'sk-"secret"/123'
MESSAGES = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": ["boolean", "string"]}}}
GOOD = said({"ok": True})


@pytest.fixture
def asking(stub, tmp_path, monkeypatch):
    """Ask the stub once, with the given key."""

    def ask(key=KEY, attempts=1):
        monkeypatch.setenv("ENDPOINT_TEST_KEY", key)
        chat = Chat(stub.url, "tiny", "ENDPOINT_TEST_KEY", tmp_path, attempts=attempts, sleep=lambda _: None)
        return chat.ask(MESSAGES, SCHEMA, 0)

    return ask


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", " {}\t"])
def test_a_line_end_around_the_key_is_dropped(stub, asking, around):
    stub.plan = [(200, GOOD, {})]
    assert asking(around.format(KEY)) == {"ok": True}
    assert stub.seen[0][1]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("inside", ["\n", "\r\n", "\x7f", "\x01", " ", "é", "\u2028", "k" * 5000])
def test_what_is_no_key_is_refused_unseen(stub, asking, inside):
    with pytest.raises(UserError, match="ENDPOINT_TEST_KEY, which holds no key") as told:
        asking(f"sesame{inside}sesame")
    assert "sesame" not in str(told.value) and not stub.seen


def test_an_empty_key_is_not_set(asking):
    with pytest.raises(UserError, match="ENDPOINT_TEST_KEY, which is not set"):
        asking(" \n")


@pytest.mark.parametrize("key", ["sk-sesame-123", "hf_sesame123", "sesame", "sesame=x", "ses\0ame"])
def test_a_key_instead_of_a_variables_name_is_not_told(tmp_path, key):
    with pytest.raises(UserError, match="names a variable, which is not set.*never the key") as told:
        Chat("http://localhost/v1", "tiny", key, tmp_path)
    assert key not in str(told.value)


@pytest.mark.parametrize(
    "echo",
    [
        {"error": {"message": f"bad header 'Authorization: Bearer {KEY}'"}},
        f"Bearer {KEY}".encode(),
        b"x" * 495 + KEY.encode(),  # cut in the middle of the key
        b"sk-%22secret%22%2F123 and sk-%22secret%22/123",
    ],
)
@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refusal_that_repeats_the_key_is_told_without_it(stub, asking, echo, status):
    stub.plan = [(status, echo, {})]
    with pytest.raises(UserError, match=rf"{status}.*\*.*key_variable") as told:
        asking()
    assert "sk-" not in str(told.value) and "secret" not in str(told.value)


def test_no_traceback_of_a_refusal_holds_the_key(stub, asking):
    import traceback

    stub.plan = [(401, f"Bearer {KEY}".encode(), {})]
    with pytest.raises(UserError) as told:
        asking()
    assert KEY not in "".join(traceback.format_exception(told.value))


def test_an_answer_that_repeats_the_key_is_kept_without_it(stub, asking, tmp_path):
    stub.plan = [(200, said({"ok": "sk-secret-12345"}), {})]
    assert asking("sk-secret-12345") == {"ok": "***"}
    assert not any("secret" in file.read_text() for file in tmp_path.iterdir())
    stub.plan = [(200, said({"ok": "a true word"}), {})]
    for file in tmp_path.iterdir():
        file.unlink()
    assert asking("true") == {"ok": "a true word"}  # the placeholder of a server without keys


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirection_is_not_followed(stub, asking, status):
    other = Stub()
    try:
        other.answer = lambda body: GOOD
        stub.plan = [(status, b"", {"Location": f"{other.url}/chat/completions?{KEY}"})]
        with pytest.raises(UserError, match=f"sends on to '{other.url}.*base_url") as told:
            asking()
        assert KEY not in str(told.value) and not other.seen
    finally:
        other.server.shutdown()
        other.server.server_close()


NO_ANSWERS = [
    *(b"\xff\xfe{", b"[]", b'"text"', b"null", b"7", b"{}", b'{"choices": {}}', b""),
    *(
        b'{"error": "overloaded"}',
        b'{"choices": []}',
        b'{"choices": [1]}',
        b'{"choices": [{"message": null}]}',
    ),
    *(
        b"[" * 100_000,
        b'{"choices": [NaN]}',
        b'{"choices": ["\\ud800"]}',
        b'{"choices": [' + b"9" * 5000 + b"]}",
    ),
    b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    *(json.dumps(GOOD | {"usage": usage}).encode() for usage in ("many", [1], 7, {"prompt_tokens": "10"})),
    *(json.dumps(GOOD | {"usage": {"prompt_tokens": count}}).encode() for count in (-1, 0.5, True, [])),
]


@pytest.mark.parametrize("body", NO_ANSWERS, ids=lambda body: body[:20])
def test_what_is_no_answer_is_asked_for_again_and_then_told(stub, asking, tmp_path, body):
    stub.plan = [(200, body, {}), (200, GOOD, {})]
    assert asking(attempts=2) == {"ok": True}
    for file in tmp_path.iterdir():
        file.unlink()
    stub.plan = [(200, body, {})] * 2
    with pytest.raises(UserError, match="no answer after 2 tries.*run again"):
        asking(attempts=2)
    assert not list(tmp_path.iterdir())


def test_an_answer_that_breaks_off_is_asked_for_again(stub, asking):
    stub.plan = [(200, GOOD, {"Content-Length": "9999"}), (200, GOOD, {})]
    assert asking(attempts=2) == {"ok": True}


def test_a_refusal_that_breaks_off_is_told(stub, asking):
    stub.plan = [(400, b"no", {"Content-Length": "9999"})]
    with pytest.raises(UserError, match="400"):
        asking()


def test_an_answer_without_end_is_not_read(stub, asking, monkeypatch):
    monkeypatch.setattr("clinbench.coding.supervision.endpoint.LARGEST", 1000)
    stub.plan = [(200, json.dumps(GOOD).encode() + b" " * 2000, {})]
    with pytest.raises(UserError, match="longer than 1,000 bytes"):
        asking()


@pytest.mark.parametrize("wait", ["²", "soon", "-1", "9" * 400])
def test_an_odd_wish_to_wait_is_no_traceback(stub, asking, wait):
    stub.plan = [(429, b"", {"Retry-After": wait}), (200, GOOD, {})]
    assert asking(attempts=2) == {"ok": True}


@pytest.mark.parametrize("content", [None, "", " ", 7])
def test_silence_is_not_kept_so_that_a_rerun_may_be_told_more(stub, asking, tmp_path, content):
    silent = GOOD | {"choices": [{"message": {"content": content}}]}
    stub.plan = [(200, silent, {})]
    assert asking() is None and not list(tmp_path.iterdir())
    stub.plan = [(200, GOOD, {})]
    assert asking() == {"ok": True}
    assert len({body["seed"] for _, _, body in stub.seen}) == 1


def test_a_refusal_of_the_model_is_kept_and_asked_for_with_another_seed(stub, asking, tmp_path):
    refused = GOOD | {"choices": [{"message": {"content": None, "refusal": "I cannot help with that."}}]}
    stub.plan = [(200, refused, {}), (200, GOOD, {})]
    assert asking(attempts=2) == {"ok": True} == asking(attempts=2)
    assert len(stub.seen) == 2 == len(list(tmp_path.iterdir()))


def test_a_chunk_without_length_is_asked_for_again(stub, asking):
    stub.plan = [(200, b"zz\r\n{}", {"Transfer-Encoding": "chunked"}), (200, GOOD, {})]
    assert asking(attempts=2) == {"ok": True}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"ok": "\\ud800"}', "9" * 5000, '{"ok": 1e999}'])
def test_content_that_is_nothing_is_no_answer(stub, asking, text):
    stub.plan = [(200, said(text), {})]
    assert asking() is None


def test_any_damage_on_the_way_is_an_answer_or_our_own_error(stub, asking, tmp_path):
    for body in usual(json.dumps(GOOD).encode()):
        for file in tmp_path.iterdir():
            file.unlink()
        stub.plan = [(200, body, {})]
        try:
            assert asking() in ({"ok": True}, None)
        except UserError as error:
            assert stub.url in str(error)


@pytest.mark.parametrize(
    "url", ["http://", "http://a b/v1", "http://é.example/v1", "http://x:port/v1", "http://[x/v1"]
)
def test_an_address_that_is_none_is_told(tmp_path, url):
    with pytest.raises(UserError, match="base_url.*no address"):
        Chat(url, "tiny", None, tmp_path)


def test_a_password_in_the_address_is_refused_unseen(tmp_path):
    for url in ("https://me:sesame@host/v1", "https://me:sesame@ho st:x/v1"):
        with pytest.raises(UserError, match="key_variable") as told:
            Chat(url, "tiny", None, tmp_path)
        assert "sesame" not in str(told.value)
