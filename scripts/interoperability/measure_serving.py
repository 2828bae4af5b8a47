"""Measures servers: requests of one sentence from several clients at once, each on a connection of its own.

    python3 scripts/interoperability/measure_serving.py TEXT URL [--clients 1 8 32] [--seconds 30] [--path /v1/translate]

TEXT has a sentence on each line. Prints for each number of clients the requests and output words of a second, the
median and the 99th percentile of the time of a request. For comparison, ctranslate2_server.py serves the same model
through CTranslate2 with the same path and JSON.
"""

import argparse
import http.client
import json
import threading
import time
import urllib.parse


def client(url, path, lines, options, offset, until, times, words, errors):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
    i = offset
    while time.monotonic() < until:
        body = json.dumps({"text": [lines[i % len(lines)]], **options})
        start = time.monotonic()
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        times.append(time.monotonic() - start)
        if "translations" in answer:
            words.append(len(answer["translations"][0]["text"].split()))
        else:
            errors.append(answer)
        i += 1


def measure(url, path, lines, options, num_clients, seconds):
    times, words, errors = [], [], []
    start = time.monotonic()
    threads = [
        threading.Thread(
            target=client, args=(url, path, lines, options, 37 * i, start + seconds, times, words, errors), daemon=True
        )
        for i in range(num_clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - start
    times.sort()
    print(
        f"{num_clients:3} clients  {len(times) / took:8.1f} requests/s  {sum(words) / took:8.0f} words/s  "
        f"median {1000 * times[len(times) // 2]:7.1f} ms  p99 {1000 * times[int(0.99 * len(times))]:7.1f} ms"
        + (f"  {len(errors)} errors, {errors[0]}" if errors else ""),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text")
    parser.add_argument("url")
    parser.add_argument("--path", default="/v1/translate")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--tokens", type=int, default=0, help="length of every output, end symbol included; 0: free")
    arguments = parser.parse_args()
    options = {"min_length": arguments.tokens, "max_length": arguments.tokens} if arguments.tokens else {}
    with open(arguments.text, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    url = urllib.parse.urlparse(arguments.url)
    measure(url, arguments.path, lines, options, 4, min(3, arguments.seconds))  # until threads and caches are warm
    for num_clients in arguments.clients:
        measure(url, arguments.path, lines, options, num_clients, arguments.seconds)


if __name__ == "__main__":
    main()
