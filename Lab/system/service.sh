# In the guest: the package is installed and its service lives through what happens to services, while a strap is worn all the time. Each
# part says what was sent in it and what is stored of that.
. /job/tried.sh
stage=$(cat /job/stage 2>/dev/null || echo 1)

# What was stored: rates of all sessions that have ended, and how many sessions there are.
stored() {
  sensord sessions --json >/tmp/sessions.json || return
  python3 -c 'import json; s = json.load(open("/tmp/sessions.json")); print(sum(x["heartRate"]["count"] for x in s), len(s))'
}
# What the strap sends while the recorder is told to stop comes after its sessions' end.
stop() { asked=$(sent); systemctl stop sensord; }
# part TEXT LOST SESSIONS: every value that was sent from the last part until the recorder was stopped is stored, but for LOST, in so
# many sessions more.
part() {
  local text=$1 lost=$2 more=$3 now count sessions
  now=$(sent); read -r count sessions < <(stored)
  local kept=$((count - ${count_before:-0}))
  if [ $kept -ge $((asked - ${sent_before:-0} - lost)) ] && [ $kept -le $((now - ${sent_before:-0})) ] && [ $((sessions - ${sessions_before:-0})) = "$more" ]; then
    echo "ok      $text: sent $((asked - ${sent_before:-0})), and $((now - asked)) while it stopped; stored $kept, sessions $((sessions - ${sessions_before:-0}))"
  else
    echo "FAILED  $text: sent $((asked - ${sent_before:-0})), and $((now - asked)) while it stopped; stored $kept, sessions $((sessions - ${sessions_before:-0}))"; : >$failed
  fi
  echo "sent_before=$now count_before=$count sessions_before=$sessions" >/job/before
  . /job/before
}
[ ! -f /job/before ] || . /job/before

if [ "$stage" = 1 ]; then
  useradd -m alice; useradd -m bob; usermod -aG sensord alice 2>/dev/null
  try "the package installs" dpkg -i /job/sensord-health_*.deb
  usermod -aG sensord alice
  try "the service is up, enabled and says so" sh -c 'systemctl enable --now sensord && systemctl is-active sensord && systemctl is-enabled sensord'
  echo "        $(state StatusText)"
  try "a sensor is added" sensord devices add C0:FF:EE:00:00:01
  try "the strap is recorded" until_so 60 sh -c 'sensord status | grep -qi recording'
  after 20
  echo "        $(state StatusText); memory $(($(state MemoryCurrent) / 1024)) KiB, tasks $(state TasksCurrent), exposure $(systemd-analyze security sensord --no-pager | tail -1 | sed 's/.*: //')"
  try "the journal tells of the session" sh -c 'journalctl -u sensord --no-pager | grep -q "C0:FF:EE:00:00:01"'
  try "a member of the group reads" runuser -u alice -- sensord sessions
  refused 77 "another user is refused" runuser -u bob -- sensord sessions
  try "the bus knows who may ask" sh -c 'busctl call org.sensord /org/sensord org.sensord.Manager1 ListSensors >/dev/null'
  refused 1 "another user does not decide about grants" runuser -u bob -- busctl call org.sensord /org/sensord org.sensord.Grants1 List
  # The sandbox, setting by setting, in a unit with the service's own settings.
  sed -e 's#^ExecStart=.*#ExecStart=/usr/bin/python3 /usr/share/probe.py#; s/^Type=.*/Type=oneshot/; /^Restart/d; /^WatchdogSec/d; s/^RuntimeDirectory=.*/RuntimeDirectory=probe/; /^Alias/d' \
    /lib/systemd/system/sensord.service >/run/systemd/system/probe.service
  cp /job/probe.py /usr/share/probe.py; systemctl daemon-reload; systemctl start probe
  journalctl -u probe -o cat --no-pager | grep -E '^(refused|ALLOWED)' | sed 's/^refused/ok      the sandbox refuses/; s/^ALLOWED/FAILED  the sandbox allows/' >/job/probes
  cat /job/probes; ! grep -q FAILED /job/probes || : >$failed
  [ "$(wc -l </job/probes)" -ge 25 ] || { echo "FAILED  only $(wc -l </job/probes) probes ran"; : >$failed; }
  after 5
  stop
  part "stopped in a session, it is stored" 0 1
  systemctl start sensord
  until_so 60 sh -c 'sensord status | grep -qi recording'; after 20
  systemctl kill -s KILL sensord
  until_so 60 eval '[ "$(state NRestarts)" = 1 ] && sensord status | grep -qi recording'; after 20
  stop
  part "killed in a session, the same goes on" 3 1
  systemctl reset-failed sensord; systemctl start sensord
  until_so 60 sh -c 'sensord status | grep -qi recording'; after 20
  kill -STOP "$(state MainPID)"
  try "the watchdog ends one that stands still, and it comes back" until_so 150 eval '[ "$(state NRestarts)" -ge 1 ] && sensord status | grep -qi recording'
  after 20
  stop
  part "stood still for the watchdog's minute: what waited in its socket is lost, not more" 75 1
  systemctl start sensord
  until_so 60 sh -c 'sensord status | grep -qi recording'; after 20
  try "an upgrade" dpkg -i /job/newer/sensord-health_*.deb
  try "it is recorded again" until_so 60 sh -c 'sensord status | grep -qi recording'
  after 20
  stop
  part "upgraded in a session: two sessions" 5 2
  systemctl start sensord
  until_so 60 sh -c 'sensord status | grep -qi recording'; after 20
  sent >/job/asked
  echo 2 >/job/stage; touch /job/next; sync
  mv /job/strap.log /job/strap.first.log
  # Without logind, which would ask it for the same.
  systemctl start reboot.target --job-mode=replace-irreversibly --no-block
  sleep 60; exit
fi

rm -f /job/next
try "after a restart of the machine the service is up by itself" until_so 120 sh -c 'systemctl is-active sensord && sensord status | grep -qi recording'
after 20
stop
# The strap began anew with the machine; what it sent while the machine went down came after the session's end, or before.
first=$(grep -c '"ev": "notify"' /job/strap.first.log)
sent_before=$((sent_before - first))
part "the machine restarted in a session: two sessions" $((first - $(cat /job/asked))) 2
try "everything that is stored is sound" sensord check
cp -r /var/lib/sensord /job/recording
ended
