"""The words that docs/STYLE.md bans, as patterns, each with what to write instead."""

import re


class Phrase:
    """A banned phrase: `name` is what a report calls it, `instead` what to write."""

    def __init__(self, name, pattern, instead, flags=re.IGNORECASE):
        self.name = name
        # A phrase may run over the end of a line.
        self.pattern = re.compile(pattern.replace(" ", r"\s"), flags)
        self.instead = instead


def word(pattern, instead):
    """A phrase that is banned anywhere in a sentence."""
    return Phrase(pattern.replace(r"\b", ""), rf"\b(?:{pattern})\b", instead)


def opening(name, pattern, instead):
    """A phrase that is banned at the beginning of a sentence only."""
    return Phrase(name, rf"(?:^|(?<=[.:;!?] )){pattern}", instead, 0)


PHRASES = [
    word(r"told|tells?|telling|untold", "report, log, emit an event, set a condition, return"),
    word(r"hears?|heard|unheard", "receive, observe, show, count"),
    word(r"judges?|judged|judging|judgements?|judgments?", "validate, evaluate; validation, evaluation"),
    word(r"mends?|mended|mending", "fix, repair"),
    word(r"foretells?|foretold|foretelling", "diff, preview"),
    word(r"whoever|whomever|whosoever", "the client, the replica, the caller: name it"),
    word(r"nobody|somebody|everybody|anybody", "name the program: no controller, another client, every replica"),
    word(r"anew", "again"),
    word(r"for ever", "forever, or until what"),
    word(r"meanwhile|thereby|therein|thereof|whereby|wherefrom", "name the time or the means: while X, by X"),
    word(r"vouch(?:es|ed)?", "sign, verify"),
    word(r"surroundings|circumstances", "dependencies, options, context"),
    word(r"neighbours?|siblings?", "related objects, the other entries"),
    word(r"habits?", "operator behaviour, convention"),
    word(r"oddity|oddities", "known deviation"),
    word(r"preflight", "rules on rendered objects"),
    word(r"by turns", "alternately"),
    word(r"gives? way|gave way", "is evicted, yields"),
    word(r"holds? up|held up", "block, delay"),
    word(r"the like", "name the thing"),
    word(r"what of it", "name the thing"),
    word(r"beside", "next to, in addition to, alongside"),
    word(r"of whom|of which nobody|to whom|by whom|whom", "name the client or the object"),
    word(r"stands? for itself|stands? in the way", "conflict, block"),
    word(r"is gone|are gone|was gone|were gone|be gone", "is deleted, does not exist"),
    word(r"is going|are going away|goes away", "is being deleted"),
    word(r"has news|is news|of news", "has unread data, changed"),
    word(r"made of (?:it|an object|objects|them|a graph)", "created from, rendered from"),
    word(r"(?:is|are|was) made (?:again|once more)", "is recreated"),
    word(r"the same of", "like X, the same for X"),
    word(r"what (?:stands|lies|came|comes|goes|went) (?:under|behind|beyond|beside|there|of it)", "name it"),
    word(r"is asked for nothing|asks? nothing", "name the request that is not sent"),
    word(r"looks? at nothing|looks? once", "reconcile, check"),
    word(r"without a word|says? nothing", "silently; reports nothing"),
    word(r"lets? go of", "release"),
    word(r"takes? no notice", "ignore"),
    word(r"as it is meant|as they are meant", "as desired, up to date"),
    word(r"sees? to", "handle, ensure"),
    word(r"in the dark", "unknown"),
    word(r"stands?|stood|standing(?! (?:in|up))", "is, is at, is listed in, appears"),
    word(r"looks? at|looked at|looking at", "read, check, validate, reconcile"),
    word(r"walks?|walked|walking", "traverse, read, step"),
    word(r"takes? in|took in", "include, match, read"),
    word(r"is left at that|are left at that", "is not changed, is ignored"),
    word(r"as it was found|as they were found|as it is found", "unchanged"),
    word(r"(?:keeps?|left|leaves?|taken|stays?) as (?:it is|they are|it was|they were)", "unchanged"),
    word(r"puts? (?:right|in order)", "fix, sort"),
    word(r"letter by letter|to the letter|word for word", "exact, exactly"),
    word(r"leads? (?:nowhere|to nothing)", "is a dangling reference"),
    word(r"but for", "except"),
    word(r"who (?:leads|acts|asks|writes|reads|calls|wants|has|is|does|knows|made|may)", "the leader, the caller, the client, the owner: name it"),
    word(r"is to be|are to be|was to be|were to be", "must be, should be, will be"),
    word(r"a (?:slip|figure of)|figures", "typo; count, quantity, measurement"),
    word(r"makes? (?:nothing|much) of|make sense of", "ignore, parse"),
    word(r"has (?:its|their) say|have a say", "decides, applies"),
    word(r"for long|ever more seldom", "for N seconds, less often"),
    opening("Of ... (opening)", r"Of (?!course)(?:a|an|the|all|each|what|whom|those|one|which|it|them|two|many|its|no|objects?|metadata)\b",
            "start with the subject"),
    opening("What ... (opening)", r"What (?!is new\b|to do\b|it is\b|happens\b)[a-z]+(?! \w+\?)", "start with the subject, by its name"),
    opening("Who ... (opening)", r"(?:Who|Whom|Whose|Whoever)\b(?! (?:can|may|should) [^.?]*\?)", "start with the subject, by its name"),
    opening("Nothing: (opening)", r"(?:Nothing|None|Nobody|No one):", "returns nullopt if, empty if"),
]

# Files that must spell a banned phrase: the lists themselves, and public names.
EXEMPT = {
    "tests/layering/prose_rules.py",
    "tests/layering/prose_check_test.py",
    "docs/STYLE.md",
}
