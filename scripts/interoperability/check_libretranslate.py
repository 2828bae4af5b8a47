"""Checks `transformer serve` with LibreTranslate's own Python client.

    python3 -m venv /tmp/libretranslate && /tmp/libretranslate/bin/pip install libretranslatepy==2.1.4
    /tmp/libretranslate/bin/python scripts/interoperability/check_libretranslate.py TRANSFORMER MODEL TEXT

TRANSFORMER is the program, and TEXT has a sentence on each line. The client's translations must be those of
`transformer translate`.
"""

import re
import subprocess
import sys
import tempfile
import urllib.error

from libretranslatepy import LibreTranslateAPI

TOKEN = "a token with ü & +"


def check(condition, what):
    if not condition:
        raise SystemExit(f"wrong: {what}")


def main():
    program, model, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read().removesuffix("\n")
    expected = subprocess.run(
        [program, "translate", "--model", model, "--input", path], check=True, capture_output=True, text=True
    ).stdout.removesuffix("\n")
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as tokens:
        tokens.write(TOKEN + "\n")
        tokens.flush()
        command = [program, "serve", "--model", f"en-de={model}", "--port", "0", "--token-file", tokens.name]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                found = None
                while not found:
                    found = re.search(r"listening on (http://\S+)", server.stderr.readline())
                client = LibreTranslateAPI(found[1], TOKEN)
                languages = {language["code"]: language for language in client.languages()}
                check(languages["en"] == {"code": "en", "name": "English", "targets": ["de"]}, languages)
                check(client.translate(text, "en", "de") == expected, "the whole text")
                for line, translation in zip(text.split("\n")[:20], expected.split("\n")):
                    check(client.translate(line, "auto", "de") == translation, line)
                try:
                    LibreTranslateAPI(found[1], "another").translate("a", "en", "de")
                    check(False, "another token")
                except urllib.error.HTTPError as error:
                    check(error.code == 401, error)
            finally:
                server.terminate()
        check(server.returncode == 0, f"exit status {server.returncode}")
    print(f"{expected.count(chr(10)) + 1} lines equal")


if __name__ == "__main__":
    main()
