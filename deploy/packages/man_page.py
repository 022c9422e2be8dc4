#!/usr/bin/env python3
"""Writes the manual page of dynamo-webhook from docs/flags.md, which is generated from the table of flags.

  man_page.py FLAGS.md VERSION EPOCH > dynamo-webhook.8
"""

import datetime
import pathlib
import re
import sys

HEAD = r""".TH DYNAMO-WEBHOOK 8 "{date}" "dynamo-webhook {version}" "System Administration"
.SH NAME
dynamo-webhook \- admission webhook server for the resources of NVIDIA Dynamo
.SH SYNOPSIS
.B dynamo-webhook
[\fIFLAG\fR]...
.br
.B dynamo-webhook doctor
[\fIOPTION\fR]...
.SH DESCRIPTION
Answers AdmissionReviews of a Kubernetes API server for the kinds of nvidia.com/v1alpha1, over TLS: it
refuses objects that can never work, and fills in defaults.
Probes and metrics have addresses of their own.
With
.B doctor
it looks at an installation and says what is wrong with it; see
.BR kubectl-dynamo (1).
.PP
Durations are written as in Go (500ms, 10s, 1m30s), sizes in bytes or with a unit (7340032, 7MiB).
Of a flag given twice the last one counts.
"""
TAIL = r""".SH FILES
.TP
.I /etc/default/dynamo-webhook
Arguments of the service dynamo-webhook.service.
.SH EXIT STATUS
0: stopped when asked. 1: could not start, or lost the Lease of its namespace. 2: a mistake in the flags or in
what they name, or a restricted namespace that is another operator's.
.SH SEE ALSO
.BR kubectl-dynamo (1)
"""


def roff(text):
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("`", "")
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"^([.'])", r"\\&\1", text)


def page(flags, version, epoch):
    date = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%d")
    out = [HEAD.format(date=date, version=version)]
    for section in re.split(r"^## ", flags, flags=re.MULTILINE)[1:]:
        out.append(f'.SH "{roff(section.splitlines()[0]).upper()}"\n')
        for row in re.findall(r"^\| (`--.*) \|$", section, re.MULTILINE):
            flag, value, default, bounds, meaning = (cell.replace("\\|", "|") for cell in re.split(r" (?<!\\)\| ", row))
            argument = "" if value == "–" else f" {roff(value)}"
            out.append(f".TP\n.B {roff(flag)}{argument}\n{roff(meaning)}\n")
            notes = [f"Default: {roff(default)}." if default != "–" else "", f"From {roff(bounds)}." if bounds != "–" else ""]
            if any(notes):
                out.append(" ".join(note for note in notes if note) + "\n")
    return "".join(out) + TAIL


def main():
    if len(sys.argv) != 4:
        print("usage: man_page.py FLAGS.md VERSION EPOCH", file=sys.stderr)
        return 2
    sys.stdout.write(page(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2], int(sys.argv[3])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
