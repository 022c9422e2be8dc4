#!/usr/bin/env python3
"""Writes the manual page of a program from the generated page of its flags.

  man_page.py docs/flags.md VERSION EPOCH > dynamo-webhook.8
  man_page.py docs/reconciler-flags.md VERSION EPOCH > dynamo-reconciler.8
"""

import datetime
import pathlib
import re
import sys

# The text before and after the flags of each program.
HEADS = {"dynamo-webhook": r""".TH DYNAMO-WEBHOOK 8 "{date}" "dynamo-webhook {version}" "System Administration"
.SH NAME
dynamo-webhook \- admission webhook server for the resources of NVIDIA Dynamo
.SH SYNOPSIS
.B dynamo-webhook
[\fIFLAG\fR]...
.SH DESCRIPTION
Answers AdmissionReviews of a Kubernetes API server for the kinds of nvidia.com/v1alpha1, over TLS: it
refuses objects that can never work, and fills in defaults.
Probes and metrics have addresses of their own.
.BR kubectl-dynamo (1)
diagnoses an installation with
.BR doctor .
.PP
Durations are written as in Go (500ms, 10s, 1m30s), sizes in bytes or with a unit (7340032, 7MiB).
If a flag is given twice, the last one counts.
""", "dynamo-reconciler": r""".TH DYNAMO-RECONCILER 8 "{date}" "dynamo-reconciler {version}" "System Administration"
.SH NAME
dynamo-reconciler \- controllers for the resources of NVIDIA Dynamo
.SH SYNOPSIS
.B dynamo-reconciler
[\fIFLAG\fR]...
.SH DESCRIPTION
Validates stored objects of nvidia.com/v1alpha1 by the rules of
.BR dynamo-webhook (8),
and reports the result in conditions and events. As a replacement for the Dynamo operator it creates the workloads of
graphs, reconciles scaling adapters, and loads models.
.PP
Durations are written as in Go (500ms, 10s, 1m30s). If a flag is given twice, the last one counts.
"""}
TAILS = {"dynamo-webhook": r""".SH FILES
.TP
.I /etc/default/dynamo-webhook
Arguments of the service dynamo-webhook.service.
.SH EXIT STATUS
0: stopped when asked. 1: could not start, or lost the Lease of its namespace. 2: a mistake in the flags or in
what they name, or a restricted namespace that is another operator's.
.SH SEE ALSO
.BR kubectl-dynamo (1),
.BR dynamo-reconciler (8)
""", "dynamo-reconciler": r""".SH FILES
.TP
.I /etc/default/dynamo-reconciler
Arguments of the service dynamo-reconciler.service.
.SH EXIT STATUS
0: stopped when asked, or every object was reconciled once. 1: could not start, lost the Lease of its namespace, or
something failed with
.BR \-\-once .
2: a mistake in the flags or in what they name.
.SH SEE ALSO
.BR dynamo-webhook (8),
.BR kubectl-dynamo (1)
"""}


def roff(text):
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("`", "")
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def page(flags, version, epoch):
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%d")
    program = re.match(r"# Flags of (\S+)", flags)[1]
    out = [HEADS[program].format(date=date, version=version)]
    for section in re.split(r"^## ", flags, flags=re.MULTILINE)[1:]:
        heading = f'.SH "{roff(section.splitlines()[0]).upper()}"\n'
        out.append(heading)
        for row in re.findall(r"^\| (`--.*) \|$", section, re.MULTILINE):
            flag, value, default, bounds, meaning = (cell.replace("\\|", "|") for cell in re.split(r" (?<!\\)\| ", row))
            argument = "" if value == "–" else f" {roff(value)}"
            out.append(f".TP\n.B {roff(flag)}{argument}\n{roff(meaning)}\n")
            notes = [f"Default: {roff(default)}." if default != "–" else "", f"From {roff(bounds)}." if bounds != "–" else ""]
            if any(notes):
                out.append(" ".join(note for note in notes if note) + "\n")
        for name, meaning in re.findall(r"^\| `([A-Z_]+)` \| (.*) \|$", section, re.MULTILINE):
            out.append(f".TP\n.B {name}\n{roff(meaning)}\n")
        if out[-1] == heading:  # a heading without a table, such as that of commands
            out.pop()
    return "".join(out) + TAILS[program]


def main():
    if len(sys.argv) != 4:
        print("usage: man_page.py FLAGS.md VERSION EPOCH", file=sys.stderr)
        return 2
    sys.stdout.write(page(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2], int(sys.argv[3])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
