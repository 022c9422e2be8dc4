# shellcheck shell=bash
# Style checks. A part of ./dev, which sources it.

command_lint() {  # [--since COMMIT]
  local since=''
  if [[ ${1:-} == --since ]]; then
    since=${2:-}
    git rev-parse --verify --quiet "$since^{commit}" >/dev/null || misuse "--since must be followed by a commit that git knows, not '$since'"
    shift 2
  fi
  (($# == 0)) || misuse "lint takes --since COMMIT or nothing, not '$1'"
  setup build lint
  configure clang-dev
  # Without a build, only this step detects new sources.
  must clang-dev-configure 'Configuring clang-dev' cmake --build build/clang-dev --target build.ninja
  local check passed=0 failed=() titles
  declare -A titles=([format]='Formatting (clang-format)' [tidy]='clang-tidy, and clang without warnings'
    [shell]='Shell scripts (shellcheck)' [python]='Python scripts' [headers]='Headers that compile alone')
  local -a checker
  for check in format shell python headers tidy; do
    checker=(cmake/lint "$check" "$jobs" "$since")
    [[ $check != headers ]] || checker=(cmake --build build/clang-dev --target dynamo_headers -- -k 0)
    if run_logged "lint-$check" "${titles[$check]}" "${checker[@]}"; then
      ((passed += 1))
    else
      failed+=("$check")
      grep -vE '^ *[0-9]+ (warnings?|errors?) generated|^Suppressed |^Use -header-filter' \
        "$logs/lint-$check.log" | tail -n 120 >&2 || true
    fi
  done
  echo "$passed ${#failed[@]}" >"$logs/lint.totals"
  ((${#failed[@]} == 0)) || die "lint: ${failed[*]}; ./dev format fixes the formatting, the other \
findings are above and whole in build/logs/lint-*.log"
}

command_format() {
  setup lint
  cmake/lint rewrite
  note 'C++ files are formatted'
}
