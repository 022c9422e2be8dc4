# shellcheck shell=bash
# The test steps, and the table of their results. A part of ./dev, which sources it.

# More failures than these are no flakes, and are not run again.
readonly max_reruns=20

# Runs ctest, prints failures and the closing line, and keeps the totals for the summary. Runs whole
# programs, or single cases if -R selects some. Failed tests run a second time: those that pass then
# are FLAKY.
run_ctest() {  # STEP PRESET LABELS [CTEST ARGUMENTS...]
  local step=$1 preset=$2 labels=$3 status=0 chosen can_rerun=1 flaky=0
  shift 3
  case " $* " in
    *' -R '*) chosen=(-L "^($labels)(-case|-long)?\$" -LE '^whole$') can_rerun=0 ;;
    *' --rerun-failed '*) chosen=(-L "^($labels)(-case|-long)?\$") can_rerun=0 ;;
    *) chosen=(-L "^($labels)\$") ;;
  esac
  run_logged "$step-ctest" "Testing $step" "${launcher[@]}" ctest --test-dir "build/$preset" "${chosen[@]}" \
    --parallel "$jobs" --output-on-failure --no-tests=error --timeout 300 "$@" || status=$?
  local log=$logs/$step-ctest.log closing
  closing=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" || true)
  if ((status != 0)); then
    grep -vE '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ +Test +#[0-9]+: .* Passed +[0-9.]+ sec' "$log" |
      tail -n 400 >&2 || true
  fi
  if [[ $closing =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    local failed=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if ((can_rerun && failed > 0 && failed <= max_reruns)); then
      rerun_failed "$@"
      ((failed -= flaky)) || true
      ((failed > 0)) || status=0
    fi
    echo "$((total - failed)) $failed $flaky" >"$logs/$step.totals"
  fi
  ((status != 0 || flaky > 0)) || note "$closing"
  ((status == 0)) || die "$step: ${closing:-ctest ended with status $status}; the whole log is \
build/logs/$step-ctest.log; once it is fixed: ./dev test $step --rerun-failed"
}

# Runs the tests that failed a second time, and prints and counts those that pass now. A part of
# run_ctest, whose variables it uses.
rerun_failed() {  # [CTEST ARGUMENTS...]
  local list=build/$preset/Testing/Temporary/LastTestsFailed.log name failing=''
  local -a before
  local more=${test_clusters:+, and build/logs/$step-first-try for the logs of the clusters}
  mapfile -t before < <(sed 's/^[0-9]*://' "$list")
  keep_cluster_logs
  if ! run_logged "$step-again-ctest" "Testing $step again, only what failed" "${launcher[@]}" ctest \
    --test-dir "build/$preset" "${chosen[@]}" --rerun-failed --parallel "$jobs" --output-on-failure --timeout 300 "$@"; then
    failing=$(sed 's/^[0-9]*://' "$list")
  fi
  for name in "${before[@]}"; do
    ! grep -qxF -- "$name" <<<"$failing" || continue
    ((flaky += 1))
    note "FLAKY $name: failed, and passed on a second try; see build/logs/$step-ctest.log$more"
  done
}

# A new cluster, for the second try, empties the folder of the old one.
keep_cluster_logs() {
  local state kept=$logs/$step-first-try
  rm -rf "$kept"
  for state in $test_clusters; do
    [[ -d $state/logs ]] || continue
    mkdir -p "$kept/${state##*/}"
    cp -R "$state"/logs/. "$state"/kube-apiserver-audit.log "$kept/${state##*/}/" 2>/dev/null || true
  done
}

# One set of options, so that no step reconfigures what the previous one has built.
configure_release() { configure release -DDYNAMO_CLUSTER_TESTS=ON -DDYNAMO_DEPLOY_TESTS=ON; }

step_lint() { command_lint "$@"; }
# Tests the release build: one compile for all steps of `./dev test`. The sanitizer steps test the
# assertions of debug builds.
step_unit() {
  setup build bench
  configure_release
  build release
  # More than half of the time these tests wait for timers and connections.
  run_ctest unit release 'unit|golden|server|library|formats|layering|fuzz|bench' --parallel "$((jobs * 2))" "$@"
}

step_asan() {
  setup build sanitizers
  export ASAN_SYMBOLIZER_PATH=/usr/lib/llvm-16/bin/llvm-symbolizer
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1
  export UBSAN_OPTIONS=print_stacktrace=1
  build asan
  run_ctest asan asan 'unit|golden|server|fuzz' "$@"
}

# Only targets with threads or coroutines: the core has neither, which tests/layering checks.
readonly threaded=(aio_test process_test server_test dynamo_webhook_test runtime_test certs_test certs_managed_test
  kube_client_test kube_controllers_test kube_transport_test stub_controller_test dynamo_cluster_test doctor_test cli_checker_test cli_cluster_test
  dynamo_reconciler_test reconciler_running_test model_test scaling_adapter_test checkpoint_test graph_controllers_test)
step_tsan() {
  setup build sanitizers
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:external_symbolizer_path=/usr/lib/llvm-16/bin/llvm-symbolizer
  # With wide address randomisation, ThreadSanitizer cannot shadow some addresses.
  if setarch -R true 2>/dev/null; then launcher=(setarch -R); fi
  build tsan dynamo-webhook "${threaded[@]}"
  run_ctest tsan tsan 'unit|server' -R "[.](process|$(IFS='|' && echo "${threaded[*]}"))" "$@"
}

prepare_cluster() {
  setup build cluster
  configure_release
  build release dynamo-webhook kubectl-dynamo pod-templates clock-shift stub-controller dynamo-reconciler controller-cases
  must cluster-binaries 'Building kube-apiserver and kubectl, unless they are cached' \
    tests/cluster/build_binaries
  build_for_cluster controllers 'kube-controller-manager, kube-scheduler and kwok' controllers kwok
  build_for_cluster groups 'the controller of LeaderWorkerSets and published definitions' groups definitions
}

build_for_cluster() {  # LOG WHAT FOLDER...
  local status=0
  run_logged "cluster-$1" "Building $2, unless they are cached" tests/cluster/build_controllers "${@:3}" || status=$?
  # 69: not available on this machine, and the tests that need them are skipped.
  ((status == 0 || status == 69)) || die "this failed: tests/cluster/build_controllers ${*:3}; the whole log is \
build/logs/cluster-$1.log"
}

# Tests the charts and related files with the real helm and promtool; no cluster.
step_deploy() {
  setup build deploy
  configure_release
  build release dynamo-webhook dynamo-reconciler kubectl-dynamo dynamo_admission_shared
  must deploy-tools 'Building helm and kubeconform, unless they are cached' tests/deploy/build_tools
  # Charts are rendered while images and packages are built, one after the other.
  run_ctest deploy release deploy "$@"
}

# Runs all tests of the program with the static plugin, and those of the download archives. It is
# compiled like `release`, so after that build this one takes a minute.
step_static() {
  setup build
  build static kubectl-dynamo
  run_ctest static static 'static|unit|formats' "$@"
}

# Slow tests that rarely find more than the others: repeated races and storms, outages, roll-outs
# under load, a cluster per scenario, images and packages, and short runs of the benchmarks.
step_long() {
  setup deploy bench
  prepare_cluster
  build release dynamo_admission_shared admission_memory_test admission_cost_test reconciler_fault_injection_test bench_echo \
    bench_micro bench_leases bench_load
  # Compiled like `release`. Some behaviours are tested with this build, too.
  build static kubectl-dynamo
  configure release "-DDYNAMO_STATIC_CHECKER=$root/build/static/bin/kubectl-dynamo"
  test_clusters='build/release/cluster build/release/cluster-*'
  run_ctest long release 'unit-long|cluster-long|deploy-long|golden-long|bench-long' --parallel "$((jobs * 2))" "$@"
  test_clusters=''
}

# The README's first example.
step_run() {
  command_run --once
  echo '1 0' >"$logs/run.totals"
}

# Test clusters run until the last test is done. If ctest is interrupted, only this function stops
# them.
test_clusters=''
stop_test_clusters() {
  local state
  for state in $test_clusters; do
    [[ ! -d $state ]] || timeout 15 tests/cluster/cluster.py --state "$state" down >/dev/null 2>&1 &
  done
  wait
}

test_on_clusters() {  # STEP [CTEST ARGUMENTS...]: runs the tests with the label STEP
  prepare_cluster
  test_clusters='build/release/cluster build/release/cluster-*'
  # Half of the time these tests wait for a cluster.
  run_ctest "$1" release "$1" --parallel "$((jobs * 2))" "${@:2}"
  test_clusters=''
}
step_cluster() { test_on_clusters cluster "$@"; }
# What `./dev cluster up` suggests, and what users notice first, on a real API server.
step_smoke() { test_on_clusters smoke "$@"; }

# Background builds that use idle processors, each in its own process group. A session of its own
# also gets its own autogroup in Linux, which shares processors between groups first and applies
# priorities only within each: the autogroup itself needs the lowest priority.
declare -A background=()
start_background() {  # NAME SCRIPT [ARGUMENTS...]: the script's output goes to its own log below build/logs
  local name=$1 script=$2
  shift 2
  mkdir -p "$logs"
  # shellcheck disable=SC2016  # for that bash
  setsid bash -c 'renice -n 19 $$ >/dev/null; chrt --idle --pid 0 $$
    [[ ! -w /proc/$$/autogroup ]] || echo 19 >/proc/$$/autogroup
    '"$script" "$@" >"$logs/$name-background.log" 2>&1 </dev/null &
  background[$name]=$!
}
stop_background() {  # NAME...: keeps what it has built, and frees its build folder soon
  local name group deadline
  for name in "$@"; do
    group=${background[$name]:-}
    unset "background[$name]"
    if [[ -z $group ]] || ! kill -TERM -- "-$group" 2>/dev/null; then continue; fi
    deadline=$((SECONDS + patience))
    while kill -0 -- "-$group" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.05; done
    kill -KILL -- "-$group" 2>/dev/null || true
  done
}

# Building Kubernetes' programs takes minutes: they start first and use the time that the other
# steps leave.
start_cluster_binaries() {
  setup cluster
  # shellcheck disable=SC2016  # for that bash
  start_background cluster 'tests/cluster/build_binaries
    tests/cluster/build_controllers; tests/cluster/build_controllers groups definitions
    echo "(background) $SECONDS 0 The programs of Kubernetes, while processors are idle" >>"$0"' "$timings"
}

# Tests of `long` mostly wait for a cluster, so the compiler can use the processors.
start_sanitizer_builds() {
  setup build sanitizers
  # shellcheck disable=SC2016  # for that bash
  start_background sanitizers 'export DYNAMO_SKIP_SETUP=1
    ./dev build asan && ./dev build tsan "$@"
    echo "(background) $SECONDS 0 The builds of sanitizers, while processors are idle" >>"$0"' \
    "$timings" dynamo-webhook "${threaded[@]}"
}

# Runs in its own process, so that a failing step ends only itself.
run_step() {  # STEP [ARGUMENTS...]
  local step=$1
  shift
  set -e
  step_of_now=$step
  background=() test_clusters='' worker='' watcher='' patience=10
  trap clean_up EXIT
  end_on_signals
  "step_$step" "$@"
}

# Prints the duration and the processor time of each command of each step, and the duration of
# background builds.
show_timings() {
  local step seconds cpu title total=0
  printf '\n%s%-9s %11s %11s  %s%s\n' "$bold" step time CPU 'spent on' "$plain"
  while read -r step seconds cpu title; do
    ((total += cpu)) || true
    printf '%-9s %11s %11s  %.80s\n' "$step" "$(elapsed "$seconds")" "$(elapsed "$cpu")" "$title"
  done <"$timings"
  printf '%-9s %11s %11s\n' all '' "$(elapsed "$total")"
}

command_test() { run_steps "$test_steps" "$@"; }
command_check() { do_flakes_fail=1 run_steps "$check_steps" "$@"; }

# Both commands accept the steps of both. They differ in their default steps, and a flaky test fails
# `./dev check` only.
run_steps() {  # DEFAULTS [STEP...] [CTEST ARGUMENTS...]
  local known="$test_steps $check_steps" defaults=$1
  local steps=() step began failed=0 passed_total=0 failed_total=0 flaky_total=0 status rows=()
  shift
  if [[ ${1:-all} == all ]]; then
    # shellcheck disable=SC2206  # a list of names on purpose
    steps=($defaults)
    (($# <= 1)) || misuse 'all takes no more arguments'
    shift $#
  fi
  while (($#)) && [[ " $known " == *" $1 "* ]]; do steps+=("$1"); shift; done
  ((${#steps[@]})) || misuse "unknown step '$1'; steps are $known, all"
  (($# == 0 || ${#steps[@]} == 1)) || misuse "ctest's options ($*) go with one step only"
  mkdir -p "$logs"
  timings=$logs/timings
  : >"$timings"
  if ((${#steps[@]} > 1)) && [[ " ${steps[*]} " == *' '@(smoke|cluster|long)' '* ]]; then
    start_cluster_binaries
  fi
  for step in "${steps[@]}"; do
    began=$SECONDS
    case $step in
      # Not for `long` alone.
      long) [[ " ${steps[*]} " != *' long '*'asan '* ]] || start_sanitizer_builds ;;
      asan | tsan) stop_background sanitizers ;;
    esac
    rm -f "$logs/$step.totals"
    set +e
    run_worker run_step "$step" "$@"
    status=$?
    set -e
    # A step that failed before its tests counts as one failure.
    local passed=0 lost=0 flaky=0
    if [[ -e $logs/$step.totals ]]; then read -r passed lost flaky <"$logs/$step.totals"; fi
    ((status == 0 || lost > 0)) || lost=1
    ((flaky == 0 || ${do_flakes_fail:-0} == 0)) || status=1
    ((status == 0)) || failed=1
    ((passed_total += passed, failed_total += lost, flaky_total += flaky)) || true
    rows+=("$step $status $passed $lost ${flaky:-0} $((SECONDS - began))")
  done
  printf '\n%s%-9s %-7s %7s %7s %7s  %s%s\n' "$bold" step result passed failed flaky time "$plain"
  local row colour word seconds
  for row in "${rows[@]}"; do
    read -r step status passed lost flaky seconds <<<"$row"
    if ((status == 0)); then colour=$green word=passed; else colour=$red word=FAILED; fi
    printf '%-9s %s%-7s%s %7d %7d %7d  %s\n' "$step" "$colour" "$word" "$plain" "$passed" "$lost" "$flaky" \
      "$(elapsed "$seconds")"
  done
  show_timings
  local verdict=''
  ((${do_flakes_fail:-0} == 0)) || verdict=', which fails ./dev check'
  ((flaky_total == 0)) || printf '\n%d flaky: passed on a second try only%s; see CONTRIBUTING.md\n' "$flaky_total" "$verdict"
  printf '\n%d passed, %d failed\n' "$passed_total" "$failed_total"
  return "$failed"
}
