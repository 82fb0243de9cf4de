"""Headless Chromium, where it is installed."""

import json
import shutil
import subprocess

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Nothing of the browser's own reaches a network either.
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-component-update"),
    *("--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND"),
)


def browse(page, folder, *arguments):
    """Open a page, and return the DOM and the addresses that it, not the browser, asked for."""
    log = folder / "net.json"
    command = [CHROMIUM, *QUIET, f"--user-data-dir={folder}/profile", f"--log-net-log={log}", *arguments]
    done = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(log.read_text())
    kinds = {number: name for name, number in told["constants"]["logEventTypes"].items()}
    asked = [
        event["params"]["url"]
        for event in told["events"]
        if kinds[event["type"]] == "URL_REQUEST_START_JOB"
        and event["params"].get("initiator", "not an origin") != "not an origin"
    ]
    return done.stdout, [url for url in asked if not url.startswith(("file:", "data:"))]
