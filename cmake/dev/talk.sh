# shellcheck shell=bash
# Terminal output, and running a command with its output in a log. A part of ./dev, which sources
# it.

if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' dim=$'\e[2m' plain=$'\e[0m' clear_line=$'\r\e[K'
else
  bold='' red='' green='' dim='' plain='' clear_line=''
fi

say() { printf '%s==>%s %s\n' "$bold" "$plain" "$*"; }
note() { printf '    %s\n' "$*"; }
die() { printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2; exit 1; }
misuse() { printf '%serror:%s %s; ./dev help lists what there is\n' "$red" "$plain" "$*" >&2; exit 2; }

elapsed() {  # seconds -> "1 m 05 s"
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d m %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# Shows the progress of a long command: on a terminal its last line and the elapsed time every
# second, else one line per minute.
watch_log() {  # LOG
  local log=$1 began=$SECONDS next=60 last lock
  # The watcher's own processes, which may outlive it by a second, must not hold a build folder.
  for lock in "${build_locks[@]}"; do exec {lock}>&-; done
  # An interrupt does not reach a background job, so the job checks that its parent is alive.
  while sleep 1 >/dev/null 2>&1 && kill -0 "$$" 2>/dev/null; do
    if [[ -n $clear_line ]]; then
      last=$(tail -c 400 "$log" 2>/dev/null | tr -d '\r\000' | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | tail -n 1)
      printf '%s    %s%s  %.70s%s' "$clear_line" "$dim" "$(elapsed $((SECONDS - began)))" "$last" "$plain"
    elif ((SECONDS - began >= next)); then
      ((next += 60))
      note "$(elapsed $((SECONDS - began))): $(tail -n 1 "$log" 2>/dev/null | cut -c 1-90)"
    fi
  done
}

watcher=''
# Neither this nor the other stop functions wait: within a trap, bash's `wait` may block forever.
stop_watcher() {
  [[ -n $watcher ]] || return 0
  # It needs no cleanup, and a newly forked process could miss a gentler signal.
  kill -KILL "$watcher" 2>/dev/null || true
  watcher=''
  printf '%s' "$clear_line"
}

# The running long command has its own process group, so that everything that ends this script ends
# the whole command, too: a signal to this script alone, or an interrupt from the terminal.
worker=''
run_worker() {  # COMMAND...: runs it and returns its status
  local status
  set -m
  "$@" &
  worker=$!
  set +m
  wait "$worker"
  status=$?
  worker=''
  return "$status"
}

stop_worker() {  # [SECONDS]: kills what does not end within that time (10)
  [[ -n $worker ]] || return 0
  local group=$worker deadline=$((SECONDS + ${1:-10}))
  worker=''
  kill -TERM -- "-$group" 2>/dev/null || return 0
  while kill -0 -- "-$group" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.05; done
  kill -KILL -- "-$group" 2>/dev/null
  return 0
}

end_on_signals() {
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Durations for the table at the end of tests, one line "STEP SECONDS CPU-SECONDS TITLE" each. Empty:
# not recorded.
timings='' step_of_now='-'
note_time() {  # STEP SECONDS CPU-SECONDS TITLE
  [[ -z $timings ]] || printf '%s %d %d %s\n' "$1" "$2" "$3" "$4" >>"$timings"
}

# Sets cpu_seconds to the processor time of all ended child processes and of those they waited for.
cpu_seconds=0
read_cpu_seconds() {
  local user system
  times >"$logs/cpu"  # a subshell would report its own children
  { read -r user system; read -r user system; } <"$logs/cpu"
  user=${user%%[.,]*} system=${system%%[.,]*}
  cpu_seconds=$(((${user%m*} + ${system%m*}) * 60 + ${user#*m} + ${system#*m}))
}

# The messages of linkers and tests do not say that the disk is full.
warn_of_full_disk() {
  local free
  free=$(df --output=avail --block-size=1M "$logs" 2>/dev/null | tail -n 1) || return 0
  ((free >= 1024)) || say "Only ${free//[[:space:]]/} MB are free on the disk of build/, which may be the cause of this failure: make room"
}

# Runs an external command with its output in build/logs/NAME.log. Returns the command's status.
run_logged() {  # NAME TITLE COMMAND...
  local log=$logs/$1.log title=$2 began=$SECONDS status=0 cpu_before
  shift 2
  mkdir -p "$logs"
  read_cpu_seconds
  cpu_before=$cpu_seconds
  say "$title"
  : >"$log"
  watch_log "$log" &
  watcher=$!
  disown "$watcher"
  run_worker "$@" >"$log" 2>&1 </dev/null || status=$?
  stop_watcher
  read_cpu_seconds
  note_time "$step_of_now" $((SECONDS - began)) $((cpu_seconds - cpu_before)) "$title"
  if ((status == 0)); then note "done in $(elapsed $((SECONDS - began)))"; else warn_of_full_disk; fi
  return "$status"
}

must() {  # NAME TITLE COMMAND...: like run_logged, but a failure prints the end of the log and exits
  run_logged "$@" || {
    grep -A 6 -E '(^|[^a-z])error:|ERROR:|^CMake Error|^E: |undefined reference to|multiple definition of' "$logs/$1.log" | head -n 80 >&2 || tail -n 40 "$logs/$1.log" >&2
    die "this failed: $2; the whole log is build/logs/$1.log"
  }
}
