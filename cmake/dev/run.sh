# shellcheck shell=bash
# Starts the server for a first trial. A part of ./dev, which sources it.

server=''
stop_server() {
  [[ -n $server ]] || return 0
  local pid=$server deadline=$((SECONDS + 15))
  server=''
  kill -TERM "$pid" 2>/dev/null || true
  while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.05; done
  kill -KILL "$pid" 2>/dev/null || true
}

free_port() {  # PREFERRED: prints it, or the next port without a listener
  local port=$1
  while { : >"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; do ((port += 10)); done
  echo "$port"
}

is_ready() {  # PORT: does /readyz answer 200?
  local line
  { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
  printf 'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
  read -r -t 2 line <&3 || line=''
  exec 3>&-
  [[ $line == 'HTTP/1.1 200 '* ]]
}

command_run() {
  local once='' here log
  case ${1:-} in
    '') ;;
    --once) once=1 ;;
    *) misuse "run knows only --once, not '$1'" ;;
  esac
  setup build
  # The debug build takes half the time. A release build that is there is brought up to date.
  local preset=dev
  [[ ! -x build/release/bin/dynamo-webhook ]] || preset=release
  build "$preset" dynamo-webhook
  release_build_folder "$preset"
  local port probe metrics
  port=$(free_port 9443) probe=$(free_port 8081) metrics=$(free_port 8080)
  here=build/run/$port log=$here/server.log  # each concurrent run has its own folder
  mkdir -p "$here"
  rm -f "$here/ca.crt"
  say 'Starting the server with a self-signed certificate'
  "build/$preset/bin/dynamo-webhook" --bind-address "127.0.0.1:$port" \
    --health-probe-bind-address "127.0.0.1:$probe" --metrics-bind-address "127.0.0.1:$metrics" \
    --cert-mode self-signed --cert-dir "$here" --shutdown-delay 0s --drain-timeout 5s \
    --cluster-connection none \
    --log-format text >"$log" 2>&1 &
  server=$!
  local deadline=$((SECONDS + 20))
  until is_ready "$probe"; do
    kill -0 "$server" 2>/dev/null || { cat "$log" >&2; die "the server stopped; its log is above"; }
    ((SECONDS < deadline)) || { tail -n 20 "$log" >&2; die "the server is not ready after 20 s; its \
log is above, and http://127.0.0.1:$probe/readyz?verbose says why while it runs"; }
    sleep 0.05
  done
  local send=(deploy/samples/reviews/send_review.py --server "https://127.0.0.1:$port"
    --ca "$here/ca.crt")
  local name expected
  for name in good bad; do
    say "Sending deploy/samples/reviews/$name.json; kubectl would print:"
    if [[ $name == good ]]; then expected=allowed; else expected=denied; fi
    python3 "${send[@]}" --expect "$expected" "deploy/samples/reviews/$name.json" | sed 's/^/    /' ||
      die "the verdict is missing or wrong; the server's log is $log"
  done
  if [[ -n $once ]]; then
    stop_server
    note "${green}both verdicts are in; the server is stopped${plain}"
    return
  fi
  say "Serving on https://127.0.0.1:$port until Ctrl-C"
  note "send more:   ${send[*]} deploy/samples/reviews/bad.json (a review or an object, as JSON)"
  note "readiness:   curl 'http://127.0.0.1:$probe/readyz?verbose'"
  note "metrics:     curl http://127.0.0.1:$metrics/metrics"
  note "log:         $log"
  trap 'note stopping; exit 130' INT
  trap 'note stopping; exit 143' TERM
  local status=0
  wait "$server" || status=$?
  server=''
  die "the server stopped by itself with status $status; its log is $log"
}
