# Runs in the guest: records the straps of the scenario with sensord until it has been played, then exports what was stored.
# usage: record.sh SECONDS     how long to wait at most for the scenario's end
# The scenario's "allow" names the sensors to record; without it, all of its straps.
store=/tmp/recording/sensord.sqlite
say() { python3 -c "import json; s = json.load(open('/job/scenario.json')); $1"; }
straps=$(say "print(len(s.get('straps', [s])))")
for address in $(say "print(*s.get('allow', [x.get('address', 'C0:FF:EE:00:00:01') for x in s.get('straps', [s])]))"); do
  sensord devices add "$address" --store $store || exit
done
sensord run --store $store 2>/job/run.log & recorder=$!
end=$(($(cut -d. -f1 /proc/uptime) + $1))
until [ "$(grep -c '"ev": "end".*"strap": "' /job/strap.log)" -ge "$straps" ] || [ "$(cut -d. -f1 /proc/uptime)" -ge $end ]; do
  kill -0 $recorder 2>/dev/null || { echo "sensord run ended early"; break; }
  sleep 2
done
sleep 2
cat /proc/$recorder/status >/job/recorder.status; cat /proc/$recorder/task/*/status >/job/recorder.tasks
sensord status --json >/job/status.json 2>/job/status.err
kill -TERM $recorder; wait $recorder; echo "sensord run: exit $?"
sensord sessions --store $store --json >/job/sessions.json || exit
for id in $(python3 -c "import json; print(*(s['id'] for s in json.load(open('/job/sessions.json'))))"); do
  for format in beats rates; do sensord export "$id" --format $format --store $store -o "/job/$id.$format.csv" || exit; done
  sensord show "$id" --store $store --json >"/job/$id.show.json" || exit
done
cp -r /tmp/recording /job/
