#!/bin/sh
# Sessions from a shell, with busctl alone: what it needs of sensord is its door.
#   Examples/session.sh              lists the sensors, and whether a session is open
#   Examples/session.sh begin TITLE  begins a session of the sensor that is measuring; prints its object
#   Examples/session.sh mark OBJECT TEXT
#   Examples/session.sh end OBJECT   ends it, and returns when it is stored
# BUS is --user (a person's own recorder, the default) or --system (the service).
#
# busctl makes a connection for each call. So it does not say who it is, which makes it the owner; its sessions have to outlive
# the connection that began them; and it can neither subscribe nor read the pipe of a query: for that see live-beats.py and 'sensord export'.
set -eu

call() { busctl "${BUS:---user}" call org.sensord "$@"; }

case ${1:-list} in
  list)
    # aa{sv} 1 3 "address" s "C0:FF:EE:00:00:01" "name" s "Strap" "state" s "measuring"
    call /org/sensord org.sensord.Manager1 ListSensors |
      sed 's/"address" s /\
/g' | sed -n 's/^"\([0-9A-F:]*\)".*"state" s "\([A-Za-z]*\)".*/\1 \2/p'
    busctl "${BUS:---user}" get-property org.sensord /org/sensord org.sensord.Manager1 Recording |
      sed 's/b true/a session is open/; s/b false/no session is open/'
    ;;
  begin)
    call /org/sensord org.sensord.Manager1 BeginSession 'a{sv}' 2 \
      metadata 'a{sv}' 1 title s "${2:?the title is missing}" endWithClient b false |
      sed 's/^o "\(.*\)"$/\1/'
    ;;
  mark)
    call "${2:?the object is missing}" org.sensord.Session1 AddMarker xs 0 "${3:?the text is missing}"
    ;;
  end)
    call "${2:?the object is missing}" org.sensord.Session1 End >/dev/null
    echo stored
    ;;
  *)
    sed -n 's/^#   //p' "$0" >&2
    exit 64
    ;;
esac
