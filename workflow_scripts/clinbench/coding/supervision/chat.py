"""A client for one OpenAI-compatible chat endpoint: checked answers, retries, and every paid answer on disk."""

import json
import time
from collections.abc import Callable
from pathlib import Path

from jsonschema import Draft202012Validator

from clinbench.coding.supervision.endpoint import COUNTS, LONGEST_WAIT, Endpoint, Passing, read_answer
from clinbench.digest import value_digest
from clinbench.errors import UserError
from clinbench.files import JsonError, parse_json, write_json


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
        self._endpoint = Endpoint(f"{base_url.rstrip('/')}/chat/completions", key_variable, timeout)
        self._model, self._cache = model, Path(cache)
        self._temperature, self._attempts, self._sleep = temperature, attempts, sleep
        self.usage = dict.fromkeys(("requests", "cached", "retries", *COUNTS), 0)

    def ask(
        self, messages: list[dict[str, str]], schema: dict, seed: int, readable: dict | None = None
    ) -> dict | None:
        """Return the first answer that fits, or None if no attempt gave one.

        Args:
            messages: of the request.
            schema: what is asked for.
            seed: of the first attempt; the next ones count on.
            readable: what an answer must fit, where that is less than ``schema``.

        Raises:
            UserError: the endpoint refuses the request for good, gives no chat answer, or cannot be reached; an
                answer that was kept is damaged.
        """
        for attempt in range(self._attempts):
            body = self._body(messages, schema, seed + attempt)
            # The address is left out: the same model asked elsewhere need not be paid again.
            file = self._cache / f"{value_digest(body)}.json"
            if file.is_file():
                answer = _kept(file)
                self.usage["cached"] += 1
            else:
                answer = self._post(body)
                if _said(answer):  # silence is not worth keeping: a rerun may be told more
                    write_json(file, answer)
            for name in COUNTS:
                self.usage[name] += (answer.get("usage") or {}).get(name) or 0
            found = _content(answer, readable or schema)
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
        for attempt in range(self._attempts):
            self.usage["requests"] += 1
            try:
                return self._endpoint.post(body)
            except Passing as error:
                problem, wait = str(error), error.wait
            if attempt + 1 < self._attempts:
                self.usage["retries"] += 1
                self._sleep(min(LONGEST_WAIT, 2.0**attempt) if wait is None else wait)
        raise UserError(
            f"{self._endpoint.url}: no answer after {self._attempts} tries ({problem}). Answers so far are kept; "
            "run again."
        )


def _kept(file: Path) -> dict:
    """Read an answer that was paid for."""
    try:
        return read_answer(file.read_bytes())
    except JsonError as error:
        raise UserError(f"{file}, line {error.line}: {error}. Remove it to ask again.") from error


def _said(answer: dict) -> bool:
    """Return whether an answer has words, or says that it has none to give."""
    message = answer["choices"][0]["message"]
    return any(
        isinstance(message.get(name), str) and message[name].strip() for name in ("content", "refusal")
    )


def _content(answer: dict, schema: dict) -> dict | None:
    """Return the JSON inside an answer if it fits the schema."""
    try:
        found = parse_json(answer["choices"][0]["message"]["content"])
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # half a surrogate pair fits any schema
        return found if Draft202012Validator(schema).is_valid(found) else None
    except (KeyError, IndexError, TypeError, ValueError, RecursionError):
        return None
