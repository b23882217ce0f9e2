# For jobs: what is tried, with its result in one line each; the job's own end.
cd /job || exit
failed=/job/failed
# try TEXT COMMAND…: the command must succeed.
try() {
  local text=$1 printed
  shift
  if printed=$("$@" 2>&1); then
    echo "ok      $text"
  else
    echo "FAILED  $text: $(tail -n 3 <<<"$printed" | tr '\n' ' ')"; : >$failed
  fi
}
# refused CODE TEXT COMMAND…: the command must end with this code.
refused() {
  local code=$1 text=$2 status=0
  shift 2
  "$@" >/dev/null 2>&1 || status=$?
  if [ "$status" = "$code" ]; then echo "ok      $text"; else echo "FAILED  $text: ended with $status, not $code"; : >$failed; fi
}
# until_so SECONDS COMMAND…: waits for it.
until_so() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 1; done
}
state() { systemctl show -P "$1" sensord; }
sent() { grep -c '"ev": "notify"' /job/strap.log; }
# How many values came to the recorder so far, of the session that is open.
received() { sensord status --json | python3 -c 'import json, sys; print(sum(one["notifications"] for one in json.load(sys.stdin)["sensors"]))'; }
# after N: N more values have been sent, and the recorder has had a moment to take the last.
after() { local target=$(($(sent) + $1)); until_so 600 eval "[ \$(sent) -ge $target ]"; sleep 0.5; }
ended() { [ -e $failed ] && echo 1 >/job/rc || echo 0 >/job/rc; sync; }
