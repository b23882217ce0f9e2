# In the guest: a person records without root, with the user's unit that the package has, under a service manager of their own that
# goes on when they are not logged in.
. /job/tried.sh
try "the package installs" dpkg -i /job/sensord-health_*.deb
# Of two recorders on one machine each would record the strap.
systemctl disable --now sensord >/dev/null 2>&1
useradd -m -s /bin/bash alice
useradd -m -s /bin/bash bob
number=$(id -u alice)
# Users' managers are logind's, which this machine starts without.
systemctl unmask systemd-logind >/dev/null 2>&1; systemctl start systemd-logind
try "alice may go on when she is not logged in" loginctl enable-linger alice
try "her service manager is there" until_so 60 systemctl is-active "user@$number"
person() { timeout 60 runuser -u alice -- env HOME=/home/alice XDG_RUNTIME_DIR="/run/user/$number" "$@"; }
is_recorded() { until_so 60 eval 'person sensord status | grep -qi recording'; }
values() { person sensord sessions --json | python3 -c 'import json, sys; s = json.load(sys.stdin); print(sum(one["heartRate"]["count"] for one in s), len(s))'; }
unit() { person systemctl --user show -P "$1" sensord; }

try "the package enabled nothing for her" eval '[ "$(person systemctl --user is-enabled sensord)" = disabled ]'
try "systemctl --user enable --now sensord" person systemctl --user enable --now sensord
try "it is up" until_so 30 eval '[ "$(unit ActiveState)" = active ]'
echo "        $(unit StatusText)"
echo "        doctor: $(person sensord doctor | grep -E '^. (bluetoothd|permission|adapter|store|recorder|clients) ' | tr '\n' ';' | tr -s ' ')"
try "a sensor is added to her list" person sensord devices add C0:FF:EE:00:00:01
try "the strap is recorded: it has the system bus, for bluetoothd" is_recorded
after 30
echo "        $(unit StatusText); memory $(($(unit MemoryCurrent) / 1024)) KiB, tasks $(unit TasksCurrent)"
try "her journal tells of it" eval 'journalctl --no-pager _UID=$number | grep -q "C0:FF:EE:00:00:01"'
try "her session bus has the door" person busctl --user call org.sensord /org/sensord org.sensord.Manager1 ListSensors
refused 1 "the system bus has none" busctl call org.sensord /org/sensord org.sensord.Manager1 ListSensors
try "killed, it comes back" eval 'person systemctl --user kill -s KILL sensord; until_so 30 eval "[ \$(unit NRestarts) = 1 ]"; is_recorded'
after 20
asked=$(sent)
try "systemctl --user stop" person systemctl --user stop sensord
read -r count sessions < <(values)
# What the killed recorder had not yet read is lost, not more.
if [ "$sessions" = 1 ] && [ "$count" -ge $((asked - 3)) ] && [ "$count" -le "$(sent)" ]; then
  echo "ok      one session is stored, with $count of the $asked values that were sent"
else
  echo "FAILED  stored $count of $asked values in $sessions sessions"; : >$failed
fi
store=/home/alice/.local/state/sensord/sensord.sqlite
try "the store is hers alone: $(stat -c '%U %a' $store), its folder $(stat -c '%a' ${store%/*})" \
  eval '[ "$(stat -c "%U %a" $store) $(stat -c %a ${store%/*})" = "alice 600 700" ]'
try "so is all beside it" eval '[ -z "$(find ${store%/*} \( ! -user alice -o -perm /077 \) -print)" ]'
refused 77 "another user is refused" runuser -u bob -- sensord sessions --store $store
try "nothing is in the service's store" eval '[ "$(sensord sessions --json)" = "[]" ]'
try "the store is sound" person sensord check
try "it starts with her manager, without her" eval 'systemctl restart user@$number; until_so 60 is_recorded'
ended
