"""Extracts metrics, labels and their values from a PromQL expression. Parses nothing else, and refuses
unknown syntax, so that nothing is overlooked."""

import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|\#[^\n]*)
  | (?P<range>\[[^\]]*\])
  | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?(?:ms|[smhdwy])?)+)
  | (?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)
  | (?P<operator>=~|!~|!=|==|<=|>=|[-+*/%^<>=@(){},])
""", re.VERBOSE)
# Keywords before a list of labels in parentheses.
LABEL_LISTS = {"by", "without", "on", "ignoring", "group_left", "group_right"}
WORDS = LABEL_LISTS | {"and", "or", "unless", "bool", "offset", "atan2", "inf", "nan"}


@dataclasses.dataclass
class Expression:
    """Metric names; (metric, label, operator, value) of each matcher; labels of by(), on() and so on."""

    metrics: set
    matchers: list
    labels: set


def read(text):
    """Parses an expression whose dashboard variables have been replaced."""
    tokens = list(tokenised(text))
    found = Expression(set(), [], set())
    at = 0
    while at < len(tokens):
        kind, word = tokens[at]
        following = tokens[at + 1][1] if at + 1 < len(tokens) else ""
        if kind != "name":
            if word == "{":
                raise ValueError(f"a selector must begin with the metric's name: {text}")
            at += 1
        elif word.lower() in LABEL_LISTS and following == "(":
            end = next(i for i in range(at, len(tokens)) if tokens[i][1] == ")")
            found.labels |= {name for name_kind, name in tokens[at:end] if name_kind == "name"} - {word}
            at = end + 1
        elif word.lower() in WORDS:
            at += 1
        elif following == "(" or (following in LABEL_LISTS and word not in found.metrics and is_aggregation(word)):
            at += 1
        else:
            found.metrics.add(word)
            at = read_matchers(tokens, at + 1, word, found) if following == "{" else at + 1
    return found


def is_aggregation(word):
    return word in {"sum", "min", "max", "avg", "count", "group", "stddev", "topk", "bottomk", "quantile"}


def read_matchers(tokens, at, metric, found):
    """Parses from the brace on; returns the position after it."""
    at += 1
    while tokens[at][1] != "}":
        (kind, label), (_, operator), (value_kind, value) = tokens[at:at + 3]
        if kind != "name" or operator not in {"=", "!=", "=~", "!~"} or value_kind != "string":
            raise ValueError(f"a matcher must be LABEL OPERATOR \"VALUE\": {label} {operator} {value}")
        found.matchers.append((metric, label, operator, value[1:-1]))
        at += 3
        if tokens[at][1] == ",":
            at += 1
    return at + 1


def tokenised(text):
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"not understood at {text[at:at + 20]!r}: {text}")
        if match.lastgroup != "space":
            yield match.lastgroup, match[0]
        at = match.end()
