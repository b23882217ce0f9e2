# Runs in the guest: the door of a recorder, asked by programs of several users.
. /job/door.sh
exec python3 -u clients.py
