# shellcheck shell=bash
# Coverage, mutation testing, fuzzing, benchmarks, and a cluster for trials. A part of ./dev, which sources it.

command_coverage() {
  setup build
  build coverage
  find build/coverage -name '*.gcda' -delete
  run_ctest coverage coverage 'unit|golden|server|fuzz' "$@"
  local status=0
  run_logged coverage-report 'Reading what was covered (gcov)' \
    python3 cmake/coverage.py --build build/coverage --jobs "$jobs" || status=$?
  cat "$logs/coverage-report.log"
  return "$status"
}

command_mutation() {
  setup build
  DYNAMO_JOBS=$jobs run_worker python3 -B tests/mutation/run.py --jobs "$jobs" "$@"
}

command_fuzz() {
  local target=${1:-} seconds=${2:-60} targets=() options
  if [[ $target =~ ^[0-9]+$ ]]; then seconds=$target target=''; fi
  [[ $seconds =~ ^[0-9]+$ ]] || misuse "the time must be a number of seconds, not '$seconds'"
  setup build sanitizers
  local corpus
  for corpus in fuzz/corpus/*/; do targets+=("$(basename "$corpus")"); done
  if [[ -n $target ]]; then
    [[ " ${targets[*]} " == *" $target "* ]] || misuse "unknown fuzz target '$target'; there are ${targets[*]}"
    targets=("$target")
  fi
  build fuzz "${targets[@]}"
  for target in "${targets[@]}"; do
    mkdir -p "build/fuzz/corpus/$target" build/fuzz/artifacts
    options=()
    if [[ -f fuzz/dictionaries/$target.dict ]]; then options=(-dict="fuzz/dictionaries/$target.dict"); fi
    must "fuzz-$target" "Fuzzing $target for $(elapsed "$seconds")" "build/fuzz/bin/$target" \
      -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "${options[@]}" \
      -artifact_prefix="build/fuzz/artifacts/$target-" "build/fuzz/corpus/$target" "fuzz/corpus/$target"
    note "$(sed -n 's/^stat::number_of_executed_units: */executions: /p' "$logs/fuzz-$target.log"), no \
finding; new inputs are in build/fuzz/corpus/$target"
  done
}

command_bench() {
  local what=${1:-}
  if [[ $what == report ]]; then
    shift
    exec python3 -B bench/performance.py "$@"
  fi
  setup build bench
  case $what in
    micro | rules | checker | leases | swaps | handshakes | threads | instructions)
      shift
      local targets
      local -A needs=([checker]=kubectl-dynamo [leases]=bench_leases [swaps]=dynamo-webhook [handshakes]=dynamo-webhook [threads]=dynamo-webhook [instructions]='bench_instructions dynamo-webhook')
      read -ra targets <<<"${needs[$what]:-bench_micro}"
      build release "${targets[@]}"
      release_build_folder release
      [[ $what != micro && $what != leases ]] || exec "build/release/bin/bench_$what" "$@"
      exec python3 "bench/$what.py" "$@"
      ;;
  esac
  if [[ $what == load ]]; then
    shift
    build release dynamo-webhook bench_load bench_echo
    release_build_folder release
    exec python3 bench/load/run.py "$@"
  fi
  if [[ $what == reconciler ]]; then
    shift
    setup cluster
    build release dynamo-reconciler
    must cluster-binaries 'Building kube-apiserver and kubectl, unless they are cached' tests/cluster/build_binaries
    release_build_folder release
    exec python3 bench/reconciler/run.py "$@"
  fi
  build release dynamo-webhook bench_echo kubectl-dynamo bench_micro bench_leases
  release_build_folder release
  run_worker python3 bench/run.py "$@"
  (($#)) && return
  run_worker python3 bench/rules.py
  run_worker build/release/bin/bench_leases
  run_worker python3 bench/swaps.py
  run_worker python3 bench/checker.py
}

# Installs with the charts, so that users try exactly the shipped configuration.
command_cluster() {
  case ${1:-} in
    up)
      prepare_cluster
      must deploy-tools 'Building helm, unless it is cached' tests/deploy/build_tools helm
      release_build_folder release
      # Without these programs no pods run, but all objects are validated.
      local life=()
      if tests/cluster/build_controllers >/dev/null 2>&1; then life=(--controllers); fi
      exec python3 tests/cluster/cluster.py up "${life[@]}" --chart "${2:-replacement}"
      ;;
    down) exec python3 tests/cluster/cluster.py down ;;
    *) misuse "cluster needs up or down" ;;
  esac
}

# Reports chart errors before any build, and keeps the rendered objects for inspection.
command_deploy() {  # [SCENARIO] | pack [DIRECTORY]
  local scenario=${1:-dev} known rendered
  if [[ $scenario == pack ]]; then
    setup build deploy
    must deploy-tools 'Building helm, unless it is cached' tests/deploy/build_tools helm
    exec python3 -B tests/deploy/deploy.py "$@"
  fi
  if [[ ! -f deploy/scenarios/$scenario.yaml ]]; then
    known=$(cd deploy/scenarios && printf '%s, ' *.yaml)
    known=${known%, }
    misuse "unknown scenario '$scenario'; scenarios are ${known//.yaml/}"
  fi
  setup build deploy
  must deploy-tools 'Building helm, unless it is cached' tests/deploy/build_tools helm
  must deploy-lint 'Linting the charts (helm lint --strict)' python3 -B tests/deploy/deploy.py lint
  rendered=build/deploy/$scenario.yaml
  mkdir -p build/deploy
  python3 -B tests/deploy/deploy.py render "$scenario" >"$rendered" || die "helm must render $scenario; its words are above"
  note "what is installed: $rendered"
  command_cluster up "$scenario"
}
