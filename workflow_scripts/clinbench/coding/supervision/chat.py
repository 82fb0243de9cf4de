"""A client for one OpenAI-compatible chat endpoint: checked answers, retries, and every paid answer on disk."""

import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from jsonschema import Draft202012Validator

from clinbench.digest import value_digest
from clinbench.errors import UserError
from clinbench.files import read_json, write_json

RETRIED = {408, 409, 425, 429, 500, 502, 503, 504}  # HTTP states that pass
LONGEST_WAIT = 60.0  # seconds between two tries


class Chat:
    """Asks for JSON that fits a schema.

    Args:
        base_url: up to and without ``/chat/completions``.
        model: name the endpoint knows.
        key_variable: environment variable that holds the key, or None for an endpoint without one.
        cache: folder of the answers, one file each; a rerun reads them and pays nothing.
        temperature: of the sampling.
        attempts: tries for one answer, bad answers and failed connections together.
        timeout: seconds to wait for one answer.
        sleep: waits between tries; replaced in tests.

    Attributes:
        usage: ``requests``, ``cached``, ``retries``, ``prompt_tokens`` and ``completion_tokens`` so far; tokens of
            cached answers count, because somebody paid for them.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key_variable: str | None,
        cache: Path,
        temperature: float = 0.7,
        attempts: int = 5,
        timeout: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
    ):
        self._url, self._model, self._cache = f"{base_url.rstrip('/')}/chat/completions", model, Path(cache)
        self._key = _key(key_variable)
        self._temperature, self._attempts, self._timeout, self._sleep = temperature, attempts, timeout, sleep
        self.usage = dict.fromkeys(("requests", "cached", "retries", "prompt_tokens", "completion_tokens"), 0)

    def ask(self, messages: list[dict[str, str]], schema: dict, seed: int) -> dict | None:
        """Return the first answer that fits the schema, or None if no attempt gave one.

        Raises:
            UserError: the endpoint refuses the request for good, or cannot be reached.
        """
        for attempt in range(self._attempts):
            body = self._body(messages, schema, seed + attempt)
            # The address is left out: the same model asked elsewhere need not be paid again.
            file = self._cache / f"{value_digest(body)}.json"
            if file.is_file():
                answer = read_json(file)
                self.usage["cached"] += 1
            else:
                answer = self._post(body)
                write_json(file, answer)
            for name in ("prompt_tokens", "completion_tokens"):
                self.usage[name] += (answer.get("usage") or {}).get(name) or 0
            found = _content(answer, schema)
            if found is not None:
                return found
            self.usage["retries"] += 1
        return None

    def _body(self, messages: list[dict[str, str]], schema: dict, seed: int) -> dict:
        form = {"name": "answer", "strict": True, "schema": schema}
        return {
            "model": self._model,
            "messages": messages,
            "temperature": self._temperature,
            "seed": seed,
            "response_format": {"type": "json_schema", "json_schema": form},
        }

    def _post(self, body: dict) -> dict:
        """Send one request, waiting twice as long after every passing failure."""
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers, method="POST")
        for attempt in range(self._attempts):
            self.usage["requests"] += 1
            wait = min(LONGEST_WAIT, 2.0**attempt)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                problem = f"{error.code} {error.reason}"
                if error.code not in RETRIED:
                    detail = error.read(500).decode("utf-8", "replace")
                    raise UserError(
                        f"{self._url} refuses the request ({problem}): {detail}. Check "
                        "coding.supervision.llm: base_url, model and key_variable."
                    ) from error
                wait = _asked_wait(error, wait)
            except (urllib.error.URLError, TimeoutError, ConnectionError, json.JSONDecodeError) as error:
                problem = str(getattr(error, "reason", error))
            if attempt + 1 < self._attempts:
                self.usage["retries"] += 1
                self._sleep(wait)
        raise UserError(
            f"{self._url}: no answer after {self._attempts} tries ({problem}). Answers so far are kept; run again."
        )


def _key(variable: str | None) -> str | None:
    if not variable:
        return None
    if not os.environ.get(variable):
        raise UserError(
            f"coding.supervision.llm.key_variable names {variable}, which is not set. Export the endpoint's key there."
        )
    return os.environ[variable]


def _asked_wait(error: urllib.error.HTTPError, wait: float) -> float:
    """Return the wait that the endpoint asks for, if it does so in seconds."""
    asked = error.headers.get("Retry-After", "")
    return min(LONGEST_WAIT, float(asked)) if asked.isdigit() else wait


def _content(answer: dict, schema: dict) -> dict | None:
    """Return the JSON inside an answer if it fits the schema."""
    try:
        found = json.loads(answer["choices"][0]["message"]["content"])
    except (KeyError, IndexError, TypeError, json.JSONDecodeError):
        return None
    return found if Draft202012Validator(schema).is_valid(found) else None
