"""Finds small changes of C++ sources, and writes sources that contain many of them at once.

A change (mutant) is inactive unless mutation_point.hpp activates it, so one build serves all of them:
`a < b` becomes `(active(7) ? (a <= b) : (a < b))`. An instrumented source keeps its line numbers.
"""

import dataclasses
import hashlib
import re

# Operators that replace each other.
SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
         "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "++": "--", "--": "++"}
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
STATEMENTS = {"break_statement": ("break;", "continue;"), "continue_statement": ("continue;", "break;")}
# The causes of findings, which users see: each is replaced by the next.
CAUSES = ["kInvalid", "kRequired", "kForbidden", "kNotSupported", "kDuplicate", "kNotFound", "kTypeInvalid", "kTooLong",
          "kTooMany"]
# Code that is evaluated by the compiler, or has no behaviour of ours.
COMPILE_TIME = {"static_assert_declaration", "template_argument_list", "template_parameter_list",
                "attribute_declaration", "requires_clause", "decltype", "sizeof_expression", "noexcept", "preproc_else",
                "preproc_elif", "preproc_def", "preproc_function_def", "enumerator", "alignas_qualifier", "ERROR"}
# Text is joined by +, which has no counterpart.
TEXT = re.compile(r'"|\bstd::string\b|to_string|quoted|\btext\b|_text\b|message|kAdvice')


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change: `prefix` and `suffix` are inserted around the bytes start to end of the file."""

    path: str
    line: int
    last_line: int
    start: int
    end: int
    kind: str
    before: str
    after: str
    prefix: str  # the place of the id is @
    suffix: str
    line_text: str

    @property
    def change(self):
        return f"{self.before} -> {self.after}"

    @property
    def key(self):
        """Names the change in any version of the file that contains the same line."""
        return (self.path, self.line_text, self.change)


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def kept(node):
    """The text of a node in one line, without comments; None if it contains a line structure that matters."""
    if any(child.type in ("raw_string_literal", "preproc_if", "preproc_ifdef") for child in descendants(node)):
        return None
    comments = [child for child in descendants(node) if child.type == "comment"]
    text = node.text
    for comment in reversed(comments):
        text = text[: comment.start_byte - node.start_byte] + text[comment.end_byte - node.start_byte :]
    return one_line(text.decode())


def descendants(node):
    yield node
    for child in node.children:
        yield from descendants(child)


class Finder:
    """Collects the possible changes of one source."""

    def __init__(self, path, source):
        self.path = path
        self.lines = source.decode().split("\n")
        self.found = []

    def add(self, node, kind, before, after, prefix, suffix):
        line = node.start_point[0]
        self.found.append(Mutant(self.path, line + 1, node.end_point[0] + 1, node.start_byte, node.end_byte, kind,
                                 before, after, prefix, suffix, self.lines[line].strip()))

    def replace(self, node, kind, after, point):
        """The expression `node` becomes `after`."""
        before = kept(node)
        if before is not None and after is not None:
            self.add(node, kind, before, after, f"({point}(@) ? ({after}) : (", "))")

    def negate(self, node, kind, point, after=None):
        """The negation of `node`, which may be an optional or a pointer, and so no operand of ?:."""
        before = kept(node)
        if before is not None:
            self.add(node, kind, before, after or f"!({before})", f"({point}(@) != static_cast<bool>(", "))")

    def visit(self, node, function=None, is_predicate=False, point=""):
        """Visits the tree below `node`; `function` is set inside of a function's body."""
        if node.type in COMPILE_TIME or is_constant(node) or is_assertion(node):
            return
        if node.type == "function_definition":
            words = {child.text for child in node.children if child.type in ("type_qualifier", "primitive_type")}
            if b"consteval" in words:
                return
            function, is_predicate = node, b"bool" in words
            point = "::dynamo::mutation::active_at_run_time" if b"constexpr" in words else "::dynamo::mutation::active"
        elif node.type == "lambda_expression":
            is_predicate = False
        if function is not None and node.is_named:
            self.visit_code(node, is_predicate, point)
        for index, child in enumerate(node.children):
            name = node.field_name_for_child(index)
            if node.type == "case_statement" and name == "value":
                continue
            if node.type == "function_definition" and name not in ("body", None):
                continue
            if name == "condition" and any(other.type == "constexpr" for other in node.children):
                continue
            self.visit(child, function, is_predicate, point)

    def visit_code(self, node, is_predicate, point):
        handler = getattr(self, f"visit_{node.type}", None)
        if handler is not None and not node.has_error:
            handler(node, is_predicate, point)

    def visit_binary_expression(self, node, _, point):
        left, operator, right = (node.child_by_field_name(name) for name in ("left", "operator", "right"))
        sign = operator.text.decode()
        if sign not in SWAPS or (sign in "+-" and TEXT.search(node.text.decode())):
            return
        first, second = kept(left), kept(right)
        if first is None or second is None:
            return
        kind = "comparison" if sign in COMPARISONS else "logic" if sign in ("&&", "||") else "arithmetic"
        if kind == "logic":
            first, second = f"({first})", f"({second})"
        self.replace(node, kind, f"{first} {SWAPS[sign]} {second}", point)
        if sign in ("==", "!="):
            for side in (left, right):
                if side.type == "string_literal":
                    self.replace(side, "text", f'{kept(side)[:-1]}~"', point)
                elif side.type == "char_literal":
                    self.replace(side, "character", f"static_cast<char>({kept(side)} + 1)", point)

    def visit_condition_clause(self, node, _, point):
        value = node.child_by_field_name("value")
        if node.parent.type != "if_statement" or value is None:
            return
        if value.type not in ("declaration", "binary_expression", "unary_expression"):
            self.negate(value, "condition", point)

    def visit_conditional_expression(self, node, _, point):
        self.negate(node.child_by_field_name("condition"), "condition", point)

    def visit_unary_expression(self, node, _, point):
        if node.child_by_field_name("operator").text == b"!":
            self.negate(node, "negation", point, kept(node.child_by_field_name("argument")))

    def visit_number_literal(self, node, _, point):
        match = re.fullmatch(r"(\d[\d']*)([uUlL]*)", node.text.decode())
        if match:
            self.replace(node, "number", f"{int(match[1].replace(chr(39), '')) + 1}{match[2]}", point)

    def visit_true(self, node, _, point):
        self.replace(node, "boolean", "false", point)

    def visit_false(self, node, _, point):
        self.replace(node, "boolean", "true", point)

    def visit_subscript_argument_list(self, node, _, point):
        for child in node.named_children:
            if child.type == "string_literal":
                self.replace(child, "member", f'{kept(child)[:-1]}~"', point)

    def visit_qualified_identifier(self, node, _, point):
        match = re.fullmatch(r"((?:\w+::)*ErrorType::)(\w+)", node.text.decode())
        if match and match[2] in CAUSES:
            self.replace(node, "cause", match[1] + CAUSES[(CAUSES.index(match[2]) + 1) % len(CAUSES)], point)

    def visit_return_statement(self, node, is_predicate, point):
        values = [child for child in node.named_children if child.type != "comment"]
        if is_predicate and values and values[0].type not in ("true", "false", "binary_expression", "initializer_list"):
            self.negate(values[0], "result", point)

    def visit_update_expression(self, node, _, point):
        sign = node.child_by_field_name("operator").text.decode()
        self.replace(node, "arithmetic", kept(node).replace(sign, SWAPS[sign], 1), point)

    def visit_assignment_expression(self, node, _, point):
        sign = node.child_by_field_name("operator").text.decode()
        right = node.child_by_field_name("right")
        if sign in SWAPS and not TEXT.search(right.text.decode()) and right.type != "char_literal":
            left = kept(node.child_by_field_name("left"))
            self.replace(node, "arithmetic", f"{left} {SWAPS[sign]} {kept(right)}", point)

    def visit_expression_statement(self, node, _, point):
        inner = node.named_children[0] if node.named_children else None
        if inner is None or is_assertion(inner) or kept(node) is None:
            return
        if inner.type in ("call_expression", "assignment_expression"):
            self.add(node, "call" if inner.type == "call_expression" else "assignment", kept(node), "(nothing)",
                     f"{{ if (!{point}(@)) ", " }")

    def swap_statement(self, node, point):
        before, after = STATEMENTS[node.type]
        self.add(node, "jump", before, after, f"{{ if ({point}(@)) {after} else ", " }")

    def visit_break_statement(self, node, _, point):
        self.swap_statement(node, point)

    def visit_continue_statement(self, node, _, point):
        self.swap_statement(node, point)


def is_constant(node):
    """Whether the compiler evaluates the declaration."""
    return node.type in ("declaration", "field_declaration") and any(
        child.type == "type_qualifier" and child.text in (b"constexpr", b"constinit") for child in node.children)


def is_assertion(node):
    return node.type == "call_expression" and node.child_by_field_name("function").text == b"assert"


def find(path, source, parser):
    """All possible changes of a source, in the order of their positions."""
    finder = Finder(path, source)
    finder.visit(parser.parse(source).root_node)
    return numbered_repeats(sorted(set(finder.found), key=lambda mutant: (mutant.start, mutant.end, mutant.after)))


def numbered_repeats(mutants):
    """Distinguishes equal changes of one line: the second of `0 -> 1` becomes `0 -> 1 (no. 2)`."""
    seen = {}
    result = []
    for mutant in mutants:
        place = (mutant.line, mutant.change)
        seen[place] = seen.get(place, 0) + 1
        repeat = f" (no. {seen[place]})" if seen[place] > 1 else ""
        result.append(dataclasses.replace(mutant, after=mutant.after + repeat))
    return result


def quotas(sizes, count):
    """Shares `count` among folders in proportion to their sizes, with the largest remainders rounded up."""
    total = sum(sizes.values()) or 1
    exact = {name: count * size / total for name, size in sizes.items()}
    shares = {name: int(value) for name, value in exact.items()}
    by_remainder = sorted(sizes, key=lambda name: (shares[name] - exact[name], name))
    for name in by_remainder[: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def place(mutant, seed):
    """The place of a change in a random order; it depends only on the seed and on the key of the change."""
    return hashlib.sha256("\0".join((str(seed), *mutant.key)).encode()).digest(), mutant.start


def sample(candidates, seed):
    """The candidates in a random order, with at most one per line. An edit elsewhere keeps the sample."""
    chosen, lines = [], set()
    for mutant in sorted(candidates, key=lambda mutant: place(mutant, seed)):
        if (mutant.path, mutant.line) not in lines:
            lines.add((mutant.path, mutant.line))
            chosen.append(mutant)
    return chosen


def shuffled(numbered, seed):
    """Pairs of id and mutant in a random order."""
    return sorted(numbered, key=lambda pair: place(pair[1], seed))


def instrument(source, mutants):
    """The source with all changes, none of them active; `mutants` has pairs of id and mutant."""
    inserted = []
    for number, mutant in mutants:
        # At one position, what encloses more is further outside.
        inserted.append((mutant.start, 1, -mutant.end, number, mutant.prefix.replace("@", str(number), 1)))
        inserted.append((mutant.end, 0, -mutant.start, -number, mutant.suffix))
    inserted.sort()
    pieces, at = [], 0
    for position, _, _, _, text in inserted:
        pieces += [source[at:position], text.encode()]
        at = position
    return b"".join(pieces + [source[at:]])
