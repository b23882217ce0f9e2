# In the guest: the forwarder's package, with no server to forward to; installed, started, upgraded, removed, purged.
. /job/tried.sh
touch /tmp/before
of() { systemctl show -P "$1" "${2:-sensord-forward}"; }
said() { journalctl -u sensord-forward -o cat --no-pager | grep -q "$1"; }
try "the recorder installs" dpkg -i /job/sensord-health_*.deb
systemctl start sensord
try "the forwarder installs" dpkg -i /job/sensord-health-forward_*.deb
refused 3 "and is off" systemctl is-active sensord-forward
refused 1 "also at the next start of the machine" systemctl is-enabled sensord-forward
try "its user is one of its own, in the recorder's group" sh -c '[ "$(id -nG sensord-forward)" = "sensord-forward sensord" ]'
systemctl start sensord-forward
try "without a configuration it ends, and is not started again" until_so 30 eval '[ "$(of ActiveState) $(of ExecMainStatus) $(of NRestarts)" = "failed 78 0" ]'
try "and says what to begin with" until_so 10 said /usr/share/doc/sensord-health-forward/forward.conf.example
journalctl -u sensord-forward -o cat --no-pager | grep forward.conf | sed 's/^/        /'
# This machine installs no documentation.
dpkg-deb -x /job/sensord-health-forward_*.deb /tmp/unpacked
try "the example is there" cp /tmp/unpacked/usr/share/doc/sensord-health-forward/forward.conf.example /etc/sensord/forward.conf
echo secret >/etc/sensord/forward-password; chmod 640 /etc/sensord/forward-password; chgrp sensord-forward /etc/sensord/forward-password
systemctl reset-failed sensord-forward
try "with the example it is switched on" systemctl enable --now sensord-forward
try "it reads the store, finds no server and says so" until_so 60 said 'trying again'
try "and stays up" systemctl is-active sensord-forward
journalctl -u sensord-forward -o cat --no-pager | grep 'trying again' | sed 's/^/        /'
refused 75 "its status says so" sensord-forward status
echo "        exposure $(systemd-analyze security sensord-forward --no-pager | tail -1 | sed 's/.*: //'), memory $(($(of MemoryCurrent) / 1024)) KiB"
pid=$(of MainPID)
try "the package once more starts it again" sh -c 'dpkg -i /job/sensord-health-forward_*.deb && systemctl is-active sensord-forward'
try "as another process" eval '[ "$(of MainPID)" != "$pid" ]'
try "it is still switched on" systemctl is-enabled sensord-forward
try "a removed package stops it" sh -c 'dpkg -r sensord-health-forward && ! systemctl is-active sensord-forward'
refused 1 "no process of it is left" pgrep -x sensord-forward
try "its configuration stays, and the recorder runs" sh -c 'test -s /etc/sensord/forward.conf && systemctl is-active sensord'
dpkg -P sensord-health-forward >/tmp/purged 2>&1
try "a purge says what it deletes" sh -c 'grep -q "Deleting /etc/sensord/forward.conf" /tmp/purged && grep -q "Deleting /etc/sensord/forward-password" /tmp/purged'
find / -xdev -newer /tmp/before -path '*sensord*forward*' -not -path '/proc/*' -not -path '/job/*' -not -path '/tmp/*' -not -path '/sys/*' -not -path '/var/log/*' \
  -not -path '/run/log/*' -not -path '/var/cache/*' >/tmp/left
find /etc/sensord -name 'forward*' >>/tmp/left; ls -d /run/sensord-forward >>/tmp/left 2>/dev/null
try "and leaves nothing but the user" sh -c '! grep . /tmp/left && getent passwd sensord-forward'
cat /tmp/left
try "the recorder's own configuration stays" test -s /etc/sensord/sensord.conf
ended
