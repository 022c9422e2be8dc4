"""The mix of requests: a file with a weight, an expected verdict, a path and a body per line."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from driver.machine import BenchError

DEFAULT = Path(__file__).resolve().parent / "mix.txt"
MAX_WEIGHT = 1000
# A text that only responses with this verdict contain.
VERDICTS = {"allowed": '"allowed":true', "denied": '"allowed":false', "converted": '"status":"Success"'}


@dataclass(frozen=True)
class Request:
    weight: int
    expected: str
    url_path: str
    body: Path

    @property
    def name(self) -> str:
        """Names the request in tables: the webhook's purpose, and the file with its folder."""
        purpose = self.url_path.strip("/").split("-", 1)[0].split("/", 1)[0]
        return f"{purpose} {self.body.parent.name}/{self.body.stem}"


def read(file: Path) -> list[Request]:
    requests = []
    for number, line in enumerate(_text(file).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            requests.append(_request(words, file.parent))
        except ValueError as error:
            raise BenchError(f"{file}:{number}: {error}") from None
    if not requests:
        raise BenchError(f"{file}: must have a request")
    return requests


def order(requests: list[Request]) -> list[int]:
    """Indices of the requests in the order in which they are sent: each as often as its weight, mixed, and the same
    in every run."""
    indices = [index for index, request in enumerate(requests) for _ in range(request.weight)]
    random.Random(1).shuffle(indices)
    return indices


def write_for_generator(requests: list[Request], file: Path) -> None:
    """The file that requests.hpp describes."""
    lines = []
    for request in requests:
        uid = json.loads(request.body.read_bytes())["request"]["uid"]
        fields = ["request", request.url_path, str(request.body.resolve()), uid, VERDICTS[request.expected]]
        lines.append("\t".join(fields))
    lines.append("\t".join(["order", *map(str, order(requests))]))
    file.write_text("\n".join(lines) + "\n")


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError as error:
        raise BenchError(f"{file}: {error.strerror}") from None


def _request(words: list[str], folder: Path) -> Request:
    if len(words) != 4:
        raise ValueError(f"must have weight, expected verdict, path and body, has {len(words)} words")
    weight, expected, url_path, body = words
    if not weight.isdecimal() or not 1 <= int(weight) <= MAX_WEIGHT:
        raise ValueError(f"the weight must be a number from 1 to {MAX_WEIGHT}, is {weight!r}")
    if expected not in VERDICTS:
        raise ValueError(f"the expected verdict must be one of {', '.join(VERDICTS)}, is {expected!r}")
    if not url_path.startswith("/"):
        raise ValueError(f"the path must begin with '/', is {url_path!r}")
    path = folder / body
    if not path.is_file():
        raise ValueError(f"the body must be a file, found none at {path}")
    return Request(int(weight), expected, url_path, path)
