"""One request to an OpenAI-compatible endpoint: its key goes nowhere else, and what comes back is an answer or told."""

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from urllib.parse import quote, urlsplit

from clinbench.errors import UserError
from clinbench.files import JsonError, parse_json

RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}  # HTTP states that pass
LONGEST_WAIT = 60.0  # seconds between two tries
LARGEST = 1 << 24  # bytes of an answer
LONGEST_KEY = 4096  # characters
SECRET = 12  # characters from which a key is one; shorter ones fill the field of servers without keys
TOLD = 500  # characters of a refusal's body
COUNTS = ("prompt_tokens", "completion_tokens")


class Passing(Exception):
    """A failure after which the same request may succeed; ``wait``: seconds the endpoint asks for, or None."""

    def __init__(self, problem: str, wait: float | None = None):
        super().__init__(problem)
        self.wait = wait


class Endpoint:
    """Posts JSON to one address and nowhere else.

    Args:
        url: http or https.
        key_variable: environment variable that holds the key, or None for an endpoint without one.
        timeout: seconds to wait for one answer.

    Raises:
        UserError: an address that cannot be asked; the variable is not set, or holds what is no key.
    """

    def __init__(self, url: str, key_variable: str | None, timeout: float):
        self.url, self._key, self._timeout = _address(url), _key(key_variable), timeout
        self._opener = urllib.request.build_opener(_Unmoved)

    def post(self, body: dict) -> dict:
        """Send one request and return the answer, checked by ``read_answer``.

        Raises:
            Passing: try again; the message holds no key, nor does that of any other error.
            UserError: the endpoint refuses the request for good.
        """
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                data = response.read(LARGEST + 1)
            return read_answer(self._without_key(data))
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = str(getattr(error, "reason", None) or error or type(error).__name__)
            raise Passing(self.masked(problem)) from None

    def masked(self, text: str) -> str:
        """Return a text with ``***`` for the key, as it is or as JSON and addresses write it."""
        for form in sorted(_forms(self._key), key=len, reverse=True) if self._key else ():
            text = text.replace(form, "***")
        return text

    def _without_key(self, data: bytes) -> bytes:
        """Hide a key that an answer repeats, since answers are kept; a placeholder may be any word of the answer."""
        if not self._key or len(self._key) < SECRET:
            return data
        return self.masked(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _refusal(self, error: urllib.error.HTTPError) -> Exception:
        problem = self.masked(f"{error.code} {error.reason}")
        if error.code in RETRIED:
            return Passing(problem, _asked_wait(error))
        if 300 <= error.code < 400:
            place = self.masked(str(error.headers.get("Location")))
            return UserError(
                f"{self.url} sends on to {place!r} ({problem}), where neither request nor key is sent. If that is "
                "the endpoint, write its address as coding.supervision.llm: base_url."
            )
        try:
            detail = error.read(TOLD * LONGEST_KEY).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            detail = "no further words"
        # Cut last: half a key would not be found.
        return UserError(
            f"{self.url} refuses the request ({problem}): {self.masked(detail)[:TOLD]}. Check "
            "coding.supervision.llm: base_url, model and key_variable."
        )


class _Unmoved(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: urllib would send the key along, to whatever host."""

    def redirect_request(self, *_: object) -> None:
        return None


def read_answer(data: bytes) -> dict:
    """Parse an answer of a chat endpoint; its first message and counts of tokens can be read, the rest is as it came.

    Raises:
        JsonError: it is none.
    """
    if len(data) > LARGEST:
        raise JsonError(f"longer than {LARGEST:,} bytes", 1)
    try:
        answer = parse_json(data.decode("utf-8"))
        # What cannot be written (NaN, half a surrogate pair, nesting) could not be kept.
        json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except JsonError as error:
        raise JsonError(f"no JSON, {error}", error.line) from error
    except (ValueError, RecursionError) as error:
        raise JsonError(f"no JSON that can be kept, {type(error).__name__}", 1) from error
    if not _has_message(answer):
        raise JsonError("no chat answer, an object with a list 'choices' whose first has a 'message'", 1)
    usage = answer.get("usage")
    counts = [usage.get(name) for name in COUNTS] if isinstance(usage, dict) else []
    if not isinstance(usage, dict | None) or any(
        count is not None and (type(count) is not int or count < 0) for count in counts
    ):
        raise JsonError(f"no chat answer, whose 'usage' counts {' and '.join(COUNTS)}", 1)
    return answer


def _has_message(answer: object) -> bool:
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)


def _address(url: str) -> str:
    """Return an address that urllib can ask."""
    where, example = "coding.supervision.llm.base_url", "Write one such as http://localhost:8000/v1."
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if "@" in url:
        raise UserError(
            f"{where} holds a user or a password, which logs would show. {example} A key is read from the variable "
            "that key_variable names."
        )
    if not sound or not all("!" <= letter <= "~" for letter in url):
        raise UserError(f"{where}: {url!r} is no address. {example}")
    return url


def _key(variable: str | None) -> str | None:
    """Return the key that an environment variable holds, without the line end that reading a file leaves."""
    if not variable:
        return None
    # Whoever writes the key itself there must not find it in a log: few keys are all capitals.
    told = variable if re.fullmatch(r"[A-Z_][A-Z0-9_]{0,63}", variable) else "a variable"
    where, key = f"coding.supervision.llm.key_variable names {told}", os.environ.get(variable, "").strip()
    if not key:
        raise UserError(
            f"{where}, which is not set. Export the endpoint's key there; the "
            "configuration holds the variable's name, never the key."
        )
    if len(key) > LONGEST_KEY or not all("!" <= letter <= "~" for letter in key):
        raise UserError(
            f"{where}, which holds no key: one is printable ASCII without spaces, {LONGEST_KEY} characters at most. "
            "Export the endpoint's key there, and nothing else."
        )
    return key


def _forms(key: str) -> set[str]:
    return {key, json.dumps(key)[1:-1], quote(key), quote(key, safe="")}


def _asked_wait(error: urllib.error.HTTPError) -> float | None:
    """Return the wait that the endpoint asks for, if it does so in seconds."""
    asked = error.headers.get("Retry-After", "")
    return min(LONGEST_WAIT, float(asked)) if asked.isdecimal() else None
