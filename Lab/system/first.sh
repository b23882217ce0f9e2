# In the guest: README's first recording, line by line as it stands there, by a person who is new on this machine and may use sudo. Between
# the lines the person wears the strap, ends the workout that was begun, and takes the strap off.
. /job/tried.sh
useradd -m -s /bin/bash alice
echo 'alice ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/alice
cp /job/*.deb /home/alice/
python3 - /job/README.md >/job/lines <<'P'
import re, sys
section = open(sys.argv[1], encoding='utf-8').read().split('## Your first recording\n')[1].split('\n## ')[0]
for line in re.findall(r'(?m)^    (\S.*)$', section): print(re.sub(r'\s{2,}#.*', '', line))
P
# A machine that is busy takes a minute for apt alone.
person() { timeout 300 runuser -l alice -c "$*"; }
has_ended() { ! sensord sessions | grep -q recording; }
while read -r -u 3 line; do
  echo "\$ $line"
  case $line in
    "sensord watch") timeout 10 runuser -l alice -c "$line" >/job/printed 2>&1; status=$?; [ "$status" != 124 ] || status=0;;
    *) person "$line" >/job/printed 2>&1; status=$?;;
  esac
  head -n 40 /job/printed | cut -c 1-100
  [ "$status" = 0 ] || { echo "FAILED  '$line' ended with $status"; : >$failed; }
  case $line in
    *"devices add"*) try "the strap is recorded" until_so 60 sh -c 'sensord status | grep -qi recording'; sleep 60;;
    *"workout start"*)
      sleep 60; try "the workout ends" timeout 120 runuser -l alice -c "sensord workout end"
      try "the session ends when the strap is off" until_so 900 has_ended;;
  esac
done 3</job/lines
[ "$(wc -l </job/lines)" -ge 10 ] || { echo "FAILED  the README has only $(wc -l </job/lines) lines"; : >$failed; }
try "the page is there" test -s /home/alice/report.html
try "the beats are there" sh -c '[ "$(wc -l </home/alice/beats.csv)" -gt 30 ]'
ended
