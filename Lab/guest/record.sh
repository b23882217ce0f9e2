# Runs in the guest: records the straps of the scenario with sensord until it has been played, then exports what was stored.
# usage: record.sh SECONDS     how long to wait at most for the scenario's end
#        record.sh start       starts the recorder (again): the scenario's "recorder" events
# The scenario's "allow" names the sensors to record; without it, all of its straps. "recorder_at": seconds to wait before.
store=/tmp/recording/sensord.sqlite
export XDG_RUNTIME_DIR=/run LD_LIBRARY_PATH=/bundle/lib
say() { python3 -c "import json; s = json.load(open('/job/scenario.json')); $1"; }
if [ "$1" = start ]; then
  sensord run --store $store 2>>/job/run.log &
  echo $! >/run/recorder.pid
  exit
fi
sample() {                                     # guest time, memory, context switches of all threads
  read -r pid </run/recorder.pid
  echo "$(cut -d' ' -f1 /proc/uptime) $(awk '/VmRSS/{print $2}' /proc/$pid/status) $(awk '/ctxt/{n+=$2}END{print n}' /proc/$pid/task/*/status)" >>/job/samples
}
straps=$(say "print(len(s.get('straps', [s])))")
for address in $(say "print(*s.get('allow', [x.get('address', 'C0:FF:EE:00:00:01') for x in s.get('straps', [s])]))"); do
  sensord devices add "$address" --store $store || exit
done
sleep "$(say "print(s.get('recorder_at', 0))")"
sensord run --store $store 2>>/job/run.log & recorder=$!
echo $recorder >/run/recorder.pid
end=$(($(cut -d. -f1 /proc/uptime) + $1)); next=0
until [ "$(grep -c '"ev": "end".*"strap": "' /job/strap.log)" -ge "$straps" ] || [ "$(cut -d. -f1 /proc/uptime)" -ge $end ]; do
  sleep 2
  now=$(cut -d. -f1 /proc/uptime)
  [ "$now" -lt $next ] || { sample; next=$((now + 60)); }
done 2>/dev/null
sleep 2
sample
sensord status --json >/job/status.json 2>/job/status.err
cp -r /tmp/recording /job/running
read -r last </run/recorder.pid
kill -TERM "$last" || echo "sensord run ended early"
if [ "$last" = $recorder ]; then wait $recorder; echo "sensord run: exit $?"; fi
while [ -d "/proc/$last" ]; do sleep 1; done
python3 /job/devices.py >/job/devices.json
sensord sessions --store $store --json >/job/sessions.json || exit
for id in $(python3 -c "import json; print(*(s['id'] for s in json.load(open('/job/sessions.json'))))"); do
  # A session has perhaps no beats, or no rates (65): an empty file then.
  for format in beats rates; do
    sensord export "$id" --format $format --store $store -o "/job/$id.$format.csv" || { [ $? = 65 ] && : >"/job/$id.$format.csv"; } || exit
  done
  sensord show "$id" --store $store --json >"/job/$id.show.json" || exit
done
cp -r /tmp/recording /job/
