# In the guest: install, remove, install, purge; states that a person must be able to read.
. /job/tried.sh
touch /tmp/before
try "it installs" dpkg -i /job/sensord-health_*.deb
try "it is enabled and runs" sh -c 'systemctl is-enabled sensord && systemctl is-active sensord'
[ ! -e $failed ] || { systemctl status sensord --no-pager; journalctl -u sensord -u dbus --no-pager | tail -30; }
try "the live hub installs" dpkg -i /job/sensord-health-live_*.deb
refused 3 "and is off" systemctl is-active sensord-live
systemctl start sensord-live; hub=$(systemctl show -P MainPID sensord-live)
try "its package once more starts one that runs again" sh -c 'dpkg -i /job/sensord-health-live_*.deb && systemctl is-active sensord-live'
try "as another process" eval '[ "$(systemctl show -P MainPID sensord-live)" != "$hub" ]'
try "the simulator installs" dpkg -i /job/sensord-health-simulator_*.deb
sensord devices add C0:FF:EE:00:00:01 >/dev/null
try "it records" until_so 60 sh -c 'sensord status | grep -qi recording'
after 10
echo "= with bluetooth.service masked"
systemctl mask --now bluetooth >/dev/null 2>&1; sleep 5
systemctl status sensord --no-pager | sed -n 's/^ *Status: /        /p'; sensord doctor | sed 's/^/        /'
try "it says so and stays up" systemctl is-active sensord
refused 69 "the doctor says so" sensord doctor
try "and what to do" sh -c 'sensord doctor | grep -q "systemctl unmask bluetooth && sudo systemctl enable --now bluetooth"'
systemctl unmask bluetooth >/dev/null 2>&1; systemctl start bluetooth
try "it records again" until_so 120 sh -c 'sensord status | grep -qi recording'
echo "= with a full disk"
fallocate -l "$(df --output=avail -B1 /var | tail -1)" /var/full; cat /dev/zero >/var/fuller 2>/dev/null; after 30
# What is recorded has its place on the disk for hours; a session that ends needs more.
systemctl restart sensord
try "its status says so" until_so 60 sh -c 'systemctl status sensord --no-pager | grep -qi "disk\|space\|full"'
refused 74 "the doctor says so" sensord doctor
systemctl status sensord --no-pager | sed -n 's/^ *Status: /        /p'; sensord doctor | sed 's/^/        /'
rm -f /var/full /var/fuller; after 20
try "it records again" until_so 60 sh -c 'sensord status | grep -qi recording'
echo "= without an adapter"
systemctl stop strap; sleep 5
systemctl status sensord --no-pager | sed -n 's/^ *Status: /        /p'; sensord doctor | sed 's/^/        /'
try "it says so and stays up" sh -c 'systemctl is-active sensord && systemctl status sensord --no-pager | grep -qi adapter'
try "removed packages stop their services" sh -c 'dpkg -r sensord-health-simulator sensord-health-live sensord-health && ! systemctl is-active sensord && ! systemctl is-active sensord-live'
try "what was recorded stays" test -s /var/lib/sensord/sensord.sqlite
try "it installs again" dpkg -i /job/sensord-health_*.deb
try "the session is there, with what came around the full disk" sh -c 'sensord sessions && sensord check'
sensord sessions | cut -c 1-79
dpkg -P sensord-health sensord-health-live >/tmp/purged 2>&1
try "a purge says what it deletes" grep -q 'Deleting the recordings' /tmp/purged
find / -xdev -newer /tmp/before \( -name '*sensord*' -o -path '*/sensord/*' \) -not -path '/proc/*' -not -path '/job/*' -not -path '/tmp/*' -not -path '/sys/*' -not -path '/var/log/*' \
  -not -path '/run/log/*' -not -path '/var/cache/*' >/tmp/left
try "a purge leaves nothing but the user" sh -c '! grep . /tmp/left && getent passwd sensord'
cat /tmp/left
ended
