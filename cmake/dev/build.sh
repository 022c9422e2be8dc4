# shellcheck shell=bash
# Configuring and building; a build folder serves one ./dev at a time. A part of ./dev, which
# sources it.

# Locks a build folder until this process ends or releases it: ninja does not lock it.
declare -A build_locks=()
own_build_folder() {  # PRESET
  [[ -n ${build_locks[$1]:-} ]] && return
  mkdir -p build
  local lock
  exec {lock}>"build/.$1.lock"
  build_locks[$1]=$lock
  # A process of the finished step may hold it a moment longer.
  flock --wait 3 "$lock" && return
  say "Another ./dev is using build/$1; waiting for it, at most 30 minutes"
  flock --wait 1800 "$lock" || die "build/$1 is still in use; end the other ./dev and try again"
}
release_build_folder() {  # PRESET
  local lock=${build_locks[$1]}
  exec {lock}>&-
  unset "build_locks[$1]"
}

# Prefix of build and test commands; see step_tsan.
launcher=()

configure() {  # PRESET [-DOPTION=VALUE...]
  local preset=$1 option
  shift
  [[ " $presets " == *" $preset "* ]] || misuse "unknown preset '$preset'; presets are $presets"
  own_build_folder "$preset"
  local cache=build/$preset/CMakeCache.txt fresh=1
  [[ -e build/$preset/build.ninja && $cache -nt CMakePresets.json ]] || fresh=0
  for option in "$@"; do
    option=${option#-D}
    grep -q "^${option%%=*}:[A-Z]*=${option#*=}$" "$cache" 2>/dev/null || fresh=0
  done
  ((fresh)) || must "$preset-configure" "Configuring $preset" cmake --preset "$preset" "$@"
  touch -c "$cache"
}

build() {  # PRESET [TARGET...]
  local preset=$1
  shift
  configure "$preset"
  local targets=("$@")
  ((${#targets[@]})) || targets=(all)
  must "$preset-build" "Building $preset: ${targets[*]}" \
    "${launcher[@]}" cmake --build "build/$preset" --parallel "$jobs" \
    --target "${targets[@]}" -- -k 0
}

command_build() {
  local preset=${1:-dev}
  (($#)) && shift
  setup build
  case $preset in
    clang-dev | fuzz | asan | tsan) setup lint sanitizers ;;
    static) (($#)) || set -- kubectl-dynamo ;;
  esac
  build "$preset" "$@"
  note "programs are in build/$preset/bin/"
}

command_image() {
  local architecture=''
  if [[ ${1:-} == --arch ]]; then
    architecture=${2:-}
    [[ $architecture == @(amd64|arm64) ]] || misuse "--arch must be amd64 or arm64, not '$architecture'"
    shift 2
  fi
  setup build
  if [[ -n $architecture && $architecture != "$(dpkg --print-architecture)" ]]; then
    [[ $architecture == arm64 ]] || misuse "images of $architecture are made on a machine of $architecture"
    setup cross
    DYNAMO_JOBS=$jobs exec nice -n 15 deploy/image/cross "$@"
  fi
  build release dynamo-webhook kubectl-dynamo dynamo-reconciler
  release_build_folder release
  if (($#)); then exec deploy/image/build "$@"; fi
  deploy/image/build
  exec deploy/image/build --program build/release/bin/dynamo-reconciler
}

command_dist() {
  setup build
  build static kubectl-dynamo
  release_build_folder static
  exec deploy/dist/build "$@"
}

command_docs() {
  setup build
  build release dynamo-docs
  build/release/bin/dynamo-docs docs
  deploy/crds/generate.py chart deploy/charts/dynamo-crds
  deploy/charts/table
  note 'docs/ and the charts are as their tables say; git diff shows what that changed'
}
