# Runs in the guest: a game that is played beside a recorder, whose strap it watches.
. /job/door.sh
# Commands look for the service where it keeps its recordings, which the read-only root does not have.
mkdir /tmp/bluetooth && mount -o bind /var/lib/bluetooth /tmp/bluetooth && mount -t tmpfs lib /var/lib || exit
mkdir /var/lib/bluetooth /var/lib/sensord && mount -o bind /tmp/bluetooth /var/lib/bluetooth || exit
exec python3 -u game.py
