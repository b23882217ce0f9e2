#!/bin/bash
# The real bluetoothd with virtual straps, in a User-Mode Linux machine: no Bluetooth hardware, no KVM, no root needed to run.
#   lab.sh build                     build the machine into the cache, once (Debian 12, network; no root; 6-12 minutes)
#   lab.sh build-system              a second root for the same kernel, in which systemd is PID 1 and packages are installed (root, 2 minutes)
#   lab.sh system -j JOB [-s SCENARIO] [-o OUT] [-t SECS] [--fast] FILE...
#       Boot it with a disk of its own, FILEs in /job; run JOB in the guest, again after each reboot, until it writes /job/rc.
#   lab.sh bundle BINARY DIR         copy BINARY and its shared libraries (without glibc's) into DIR
#   lab.sh run [-s SCENARIO] [-b BUNDLE] [-o OUT] [-t SECS] [--fast] [--snoop] -- COMMAND...
#       Boot, run COMMAND in the guest, leave results in OUT, exit with its status (124 timeout, 125 lab failure).
#       --fast: time travel, idle time is skipped: an hour of guest time takes seconds. -t is guest seconds.
#   lab.sh prepare                   bring the roots up to date with the files here; run and system do, too
#   lab.sh room                      print how many machines may run at a time: LAB_JOBS (2), or as many as there is memory for
#   BLUEZ=NAME lab.sh build|run      with another BlueZ than Debian 12's, and all that it needs: a root of its own for the same kernel (`bluez`)
# In the guest: cwd=/job (read-write, is OUT on the host), bundle at /bundle (read-only) on PATH and
# LD_LIBRARY_PATH; dbus-daemon, bluetoothd (hci0 powered) and the straps are already up.
set -euo pipefail
LAB=$(dirname "$(readlink -f "$0")")
MEM=${LAB_MEM:-512}                            # MB that a machine has
CACHE=${LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sensord-lab}
BLUEZ=${BLUEZ:-}
ROOT=$CACHE${BLUEZ:+/bluez-$BLUEZ}/root
SOURCES=""                                     # another release's list of sources; else this machine's
PACKAGES="busybox-static bluez bluez-test-tools dbus python3 kmod libglib2.0-bin"
SYSTEM_PACKAGES="apt systemd systemd-sysv dbus dbus-user-session libpam-systemd bluez bluez-test-tools python3 sqlite3 procps kmod libglib2.0-bin libbluetooth3 libmosquitto1 libpq5 sudo"
WHEELS="bumble==0.0.236 pyee==13.0.1 typing_extensions==4.16.0 dbus-next==0.2.3"
NO_MEMORY="no folder for the machine's memory: /dev/shm, $CACHE or /tmp with $MEM MB free, not mounted noexec"

# apt with lists, state and archives of its own: as on an empty system, whatever this one has, and without root.
apt() { apt-get -qq ${SOURCES:+-o Dir::Etc::SourceList="$SOURCES" -o Dir::Etc::SourceParts=/dev/null} -o Dir::State::lists="$CACHE/apt/lists" -o Dir::State::status="$CACHE/apt/status" -o Dir::Cache="$CACHE/apt" -o APT::Sandbox::User=root "$@"; }

stop() { echo "lab: $1" >&2; exit 69; }

check() {                                      # what the machine needs of this one; each want with its remedy
  local codename; codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
  [ "$(uname -m)" = x86_64 ] || stop "User-Mode Linux runs on x86_64 only, and this is $(uname -m)"
  [ "$codename" = bookworm ] || stop "the machine is made from the packages of Debian 12 (bookworm), and this is ${codename:-no Debian}"
  python3 -c 'import ctypes, os, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)' ||
    stop "ptrace is forbidden here, without which User-Mode Linux cannot run; in a container: --cap-add SYS_PTRACE, or another seccomp profile"
  memory >/dev/null || stop "$NO_MEMORY"
}

memory() {                                     # where the memory of so many machines (1) is kept: files that are mapped for execution
  local folder
  for folder in /dev/shm "$CACHE" /tmp; do
    [ -w "$folder" ] && [ "$(df --output=avail -m "$folder" | tail -1)" -gt $((${1:-1} * MEM)) ] || continue
    case ,$(findmnt -nT "$folder" -o OPTIONS), in *,noexec,*) ;; *) echo "$folder"; return;; esac
  done
  return 1
}

room() {                                       # a machine alone is always tried
  local wanted=${LAB_JOBS:-2} fit available
  case $wanted in *[!0-9]* | 0) stop "LAB_JOBS is how many machines run at a time, not \"$wanted\"";; esac
  available=$(awk '/^MemAvailable/ {print int($2 / 1024)}' /proc/meminfo); fit=$wanted
  until [ "$fit" = 1 ] || { [ $((fit * MEM)) -lt "$available" ] && memory "$fit" >/dev/null; }; do fit=$((fit - 1)); done
  [ "$fit" = "$wanted" ] || echo "lab: $fit at a time, not $wanted: for each machine $MEM MB must be available, and free in one folder" >&2
  echo "$fit"
}

own_files() {                                  # calls "$@" MODE FILE PLACE for each file of ours in the roots
  local unit root
  for root in "$CACHE"/root "$CACHE"/bluez-*/root; do
    [ ! -d "$root" ] || "$@" 755 "$LAB/guest/init" "$root/init" || return
  done
  [ -f "$CACHE/system-stamp" ] || return 0
  "$@" 755 "$LAB/system/init" "$CACHE/system/usr/sbin/lab-init" || return
  for unit in "$LAB"/system/*.service; do "$@" 644 "$unit" "$CACHE/system/etc/systemd/system/${unit##*/}" || return; done
}
is_same() { cmp -s "$2" "$3"; }

prepare() {                                    # no machine sees its root change: each holds the lock until it ends, and who has to write waits
  exec 9<"$CACHE"
  until flock -s 9; own_files is_same; do
    flock -xn 9 || { echo "lab: waiting for the machines that run, since their root has to change" >&2; flock -x 9; }
    own_files install -m || stop "the roots in $CACHE cannot be written"
  done
}

build_root() {                                 # Debian packages unpacked into a folder, resolved as on an empty system
  local root=$CACHE/root deb; rm -rf "$root"; mkdir -p "$root"
  apt -y --no-install-recommends --download-only install $PACKAGES
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64} "$root"/{dev,proc,sys,run,tmp,job,bundle,root,var/lib/bluetooth}
  for d in bin sbin lib lib64; do ln -s usr/$d "$root/$d"; done
  for deb in "$CACHE"/apt/archives/*.deb; do
    case ${deb##*/} in perl*|libperl*|dpkg_*|debconf*|udev_*|passwd_*|adduser_*|usrmerge_*|libdb5*|*-perl_*|tar_*|libasound2-data*|libpam*|libsemanage*|libsepol*) continue;; esac
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$root" --keep-directory-symlink \
      --exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/share/locale*' \
      --exclude='./usr/lib/x86_64-linux-gnu/gconv*' --exclude='./usr/lib/python3.11/test*' --exclude='./usr/share/bash-completion*'
  done
  python3 -m venv "$CACHE/venv"
  "$CACHE/venv/bin/pip" -q --disable-pip-version-check download --no-deps -d "$CACHE/wheels" $WHEELS
  for deb in "$CACHE"/wheels/*.whl; do python3 -m zipfile -e "$deb" "$root/usr/lib/python3/dist-packages"; done
  /usr/bin/env python3.11 - "$root" <<'P'      # bytecode now, or every boot compiles bumble again (same 3.11 as the guest)
import compileall, py_compile, sys
for d in ('python3', 'python3.11'):
    compileall.compile_dir(f'{sys.argv[1]}/usr/lib/{d}', quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
P
  printf 'root:x:0:0::/root:/bin/sh\nmessagebus:x:100:100::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n' >"$root/etc/passwd"
  printf 'root:x:0:\nmessagebus:x:100:\nbluetooth:x:101:\nnogroup:x:65534:\n' >"$root/etc/group"
  echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"; ln -sfn /run "$root/var/run"
  "$root/usr/bin/busybox" --list | while read -r a; do
    [ -e "$root/usr/bin/$a" ] || [ -e "$root/usr/sbin/$a" ] || ln -s busybox "$root/usr/bin/$a"; done
}

build_uml() {                                  # Debian's own UML kernel has CONFIG_BT off, so compile one (5 min, 2 cores)
  local src=$CACHE/uml-src; rm -rf "$src"; mkdir -p "$src"
  (cd "$CACHE/apt" && apt download linux-source-6.1)
  dpkg-deb --fsys-tarfile "$CACHE"/apt/linux-source-6.1_*.deb | tar -xO ./usr/src/linux-source-6.1.tar.xz | tar -xJ -C "$src" --strip-components=1
  # 2696 bytes of saved FPU state are too few on CPUs with AMX (11008): every process would die at exec.
  sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' "$src/arch/x86/um/user-offsets.c"
  # 6.1.192 frees l2cap_conn's hci_chan twice when a Connect fails (kernel panic); its own comment says l2cap_conn_del does it.
  sed -i '/^static void l2cap_conn_del/,/^}/s/^\thcon->l2cap_data = NULL;/\thci_chan_del(conn->hchan);\n\tconn->hchan = NULL;\n&/
          /^static void l2cap_conn_free/,/^}/s/^\thci_chan_del/\tif (conn->hchan) hci_chan_del/' "$src/net/bluetooth/l2cap_core.c"
  make -s -C "$src" ARCH=um KCONFIG_ALLCONFIG="$LAB/guest/uml.config" allnoconfig
  nice make -s -C "$src" ARCH=um -j"$(nproc)" linux
  strip -o "$CACHE/linux-uml" "$src/linux"; rm -rf "$src"
}

build() {                                      # once: complete when the stamp, a digest of what it is made from, is there
  local stamp; stamp=$(sed -n '/^PACKAGES/p; /^WHEELS/p; /^build_root/,/^}/p; /^build_uml/,/^}/p' "$LAB/lab.sh" | cat - "$LAB/guest/uml.config" | sha256sum | cut -c1-16)
  [ "$(cat "$CACHE/stamp" 2>/dev/null)" != "$stamp" ] || return 0
  echo "lab: building the machine into $CACHE (6-12 minutes, once)" >&2
  mkdir -p "$CACHE"; check
  rm -rf "$CACHE/stamp" "$CACHE/apt" "$CACHE/wheels" "$CACHE/venv"; mkdir -p "$CACHE"/apt/{lists,archives}/partial; : >"$CACHE/apt/status"
  apt update && [ -n "$(ls "$CACHE"/apt/lists/*Packages* 2>/dev/null)" ] || stop "no package lists from Debian's servers: is there a network, or a proxy for apt?"
  build_root; build_uml
  rm -rf "$CACHE/apt" "$CACHE/wheels" "$CACHE/venv"
  (run -t 20 --fast -- true) || stop "the machine is built and does not run here"
  echo "$stamp" >"$CACHE/stamp"
}

# Another release's packages are resolved and unpacked as Debian 12's, into a cache of their own; its Python compiles what it runs.
build_bluez() {
  local name number suite tried version stamp site root=$ROOT
  read -r name suite tried < <(grep -E "^$BLUEZ[[:space:]]" "$LAB/bluez") || stop "there is no BlueZ \"$BLUEZ\" in $LAB/bluez"
  build
  stamp=$(sed -n '/^build_bluez/,/^}/p' "$LAB/lab.sh" | cat - "$CACHE/stamp" <(echo "$suite") | sha256sum | cut -c1-16)
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -1)
  CACHE=$CACHE/bluez-$BLUEZ; SOURCES=$CACHE/sources.list
  mkdir -p "$CACHE"; exec 8>"$CACHE/lock"; flock 8     # one builder at a time
  if [ "$BLUEZ" != newest ] && [ "$(cut -d' ' -f1 "$CACHE/stamp" 2>/dev/null)" = "$stamp" ]; then return; fi
  mkdir -p "$CACHE"/apt/{lists,archives}/partial; : >"$CACHE/apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${site:-http://deb.debian.org/debian} $suite main" >"$SOURCES"
  if ! apt update; then
    [ -f "$CACHE/stamp" ] || stop "no package lists of $suite from $site: is there a network, or a proxy for apt?"
    echo "lab: no package lists of $suite; using BlueZ $(cut -d' ' -f2 "$CACHE/stamp"), which is there" >&2; return 0
  fi
  version=$(apt-cache -o Dir::Etc::SourceList="$SOURCES" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::lists="$CACHE/apt/lists" \
    -o Dir::State::status="$CACHE/apt/status" -o Dir::Cache="$CACHE/apt" show bluez | awk '/^Version:/ {print $2; exit}')
  [ -n "$version" ] || stop "$suite has no package bluez"
  [ "$version" = "$tried" ] || echo "lab: $suite has BlueZ $version now, and $tried was tried" >&2
  case $BLUEZ in newest | "${version%%-*}") ;; *) stop "$suite has BlueZ ${version%%-*}, not $BLUEZ any more";; esac
  [ "$(cat "$CACHE/stamp" 2>/dev/null)" != "$stamp $version" ] || return 0
  echo "lab: building a root with BlueZ $version into $root (1 minute, once)" >&2
  rm -rf "$CACHE/stamp" "$CACHE"/apt/archives/*.deb; mkdir -p "$CACHE/apt/archives/partial"
  build_root
  for site in "$root"/usr/lib/python3.*; do
    PYTHONHOME=$root/usr PYTHONPATH=$site "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/${site##*/}" \
      -m compileall -qq --invalidation-mode unchecked-hash "$site" "$root/usr/lib/python3" || stop "the root's own Python does not run here"
  done
  # Debian 13's base-files has a folder there.
  [ -h "$root/var/run" ] || { rm -rf "$root/var/run"; ln -s /run "$root/var/run"; }
  # The bus does not start where a policy names a user or a group that is not there.
  number=200
  for name in $(grep -rhoE '<policy (user|group)="[^"]+"' "$root"/usr/share/dbus-1/system.d "$root"/etc/dbus-1 2>/dev/null | cut -d'"' -f2 | sort -u); do
    number=$((number + 1))
    grep -q "^$name:" "$root/etc/passwd" || echo "$name:x:$number:$number::/:/bin/false" >>"$root/etc/passwd"
    grep -q "^$name:" "$root/etc/group" || echo "$name:x:$number:" >>"$root/etc/group"
  done
  rm -rf "$CACHE/apt" "$CACHE/wheels" "$CACHE/venv"
  echo "$stamp $version" >"$CACHE/stamp"
}

build_system() {                               # a Debian with a package database, made on an empty folder
  local root=$CACHE/system stamp unit
  build
  stamp=$(sed -n '/^SYSTEM_PACKAGES/p; /^build_system/,/^}/p' "$LAB/lab.sh" | cat - "$CACHE/stamp" | sha256sum | cut -c1-16)
  [ "$(cat "$CACHE/system-stamp" 2>/dev/null)" != "$stamp" ] || return 0
  [ "$(id -u)" = 0 ] || stop "the machine with systemd is made by root, so that its files are root's"
  command -v mmdebstrap mkfs.ext4 >/dev/null || stop "mmdebstrap or mkfs.ext4 is not there: Scripts/install-dependencies lab"
  echo "lab: building the machine with systemd into $root (2 minutes, once)" >&2
  rm -rf "$root" "$CACHE/system-stamp"
  mmdebstrap -q --mode=root --variant=essential --include="${SYSTEM_PACKAGES// /,}" \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' bookworm "$root" /etc/apt/sources.list.d/debian.sources ||
    stop "Debian's packages cannot be unpacked into $root"
  cp -a "$CACHE"/root/usr/lib/python3/dist-packages/. "$root/usr/lib/python3/dist-packages/"
  for unit in systemd-udevd systemd-udev-trigger systemd-logind console-getty getty@tty1 systemd-networkd systemd-timesyncd \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
    ln -sf /dev/null "$root/etc/systemd/system/${unit%.timer}$(case $unit in *.timer) echo .timer;; *) echo .service;; esac)"
  done
  ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants" "$root/job"; ln -sf ../job.service "$root/etc/systemd/system/multi-user.target.wants/job.service"
  echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"; : >"$root/etc/fstab"; rm -f "$root/etc/resolv.conf"
  echo lab >"$root/etc/hostname"; echo "127.0.0.1 localhost lab" >"$root/etc/hosts"
  echo "$stamp" >"$CACHE/system-stamp"
}

# Starts a machine, with these words for its kernel; $out and $limit are its caller's. It ends with this script, also when that is stopped.
boot() {
  local folder
  folder=$(memory) || stop "$NO_MEMORY"
  TMPDIR=$folder timeout -k 5 "$limit" "$CACHE/linux-uml" mem="${MEM}M" root=/dev/root rootfstype=hostfs ro con=null con0=null,fd:1 panic=-1 \
    lab.job="$out" "$@" </dev/null >>"$out/console.txt" 2>&1 &
  machine=$!
  trap 'kill "$machine" 2>/dev/null; wait "$machine" || :; exit 143' INT TERM HUP
}

# Waits for a machine. When its job is over, nothing more is tried: one that does not go off by itself within a minute (seen once: its
# systemd was busy with itself, so that its time stood) is switched off.
switch_off_after() {
  local machine=$1 rc=$2 over=0
  while kill -0 "$machine" 2>/dev/null; do
    sleep 1
    [ ! -f "$rc" ] || over=$((over + 1))
    [ $over -ne 60 ] || kill "$machine"
  done
  wait "$machine"
}

system() {                                     # boots as often as its job restarts the machine
  local job="" scenario=$LAB/scenarios/basic.json out="" secs=600 fast="" status=0 boot
  while [ $# -gt 0 ]; do case $1 in
    -j) job=$2; shift 2;; -s) scenario=$2; shift 2;; -o) out=$2; shift 2;; -t) secs=$2; shift 2;; --fast) fast=time-travel; shift;;
    -*) echo "lab: unknown option $1" >&2; exit 2;; *) break;; esac; done
  out=${out:-$(mktemp -d)}; mkdir -p "$out"; out=$(readlink -f "$out"); rm -f "$out"/{rc,next,*.log,strap.out,console.txt}
  cp "$LAB"/guest/*.py "$LAB"/system/*.sh "$LAB"/system/*.py "$out/"; cp "$job" "$out/job.sh"; cp "$scenario" "$out/scenario.json"; [ $# = 0 ] || cp -r "$@" "$out/"
  prepare
  local limit=${LAB_WALL:-$((secs + 120))}
  rm -f "$out/disk"; truncate -s 1G "$out/disk"; mkfs.ext4 -q "$out/disk"
  for boot in 1 2 3 4; do
    rm -f "$out/next"
    boot ubda="$out/disk" rootflags="$CACHE/system" init=/usr/sbin/lab-init $fast
    switch_off_after "$machine" "$out/rc" || status=$?
    [ -e "$out/next" ] || break
  done
  [ -f "$out/rc" ] || { echo "lab: no result from the guest (status $status); the end of $out/console.txt:" >&2; tail -5 "$out/console.txt" >&2; exit 125; }
  exit "$(cat "$out/rc")"
}

bundle() {                                     # glibc stays the guest's: both sides are Debian 12
  local bin=$1 dir=$2; mkdir -p "$dir/bin" "$dir/lib"; cp "$bin" "$dir/bin/"
  ldd "$bin" | awk '$3 ~ /^\//{print $3}' | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libutil)\.so' | xargs -r cp -Lt "$dir/lib"
}

run() {
  local scenario=$LAB/scenarios/basic.json bundle="" out="" secs=120 snoop=0 fast="" status=0
  while [ $# -gt 0 ]; do case $1 in
    -s) scenario=$2; shift 2;; -b) bundle=$(readlink -f "$2"); shift 2;; -o) out=$2; shift 2;; -t) secs=$2; shift 2;;
    --fast) fast=time-travel; shift;; --snoop) snoop=1; shift;; --) shift; break;;
    *) echo "lab: unknown option $1" >&2; exit 2;; esac; done
  out=${out:-$(mktemp -d)}; mkdir -p "$out"; out=$(readlink -f "$out"); rm -f "$out"/{rc,times,*.log,console.txt}
  cp "$scenario" "$out/scenario.json"; cp "$LAB"/guest/*.py "$LAB"/guest/*.sh "$out/"; printf '%q ' "$@" >"$out/command"
  prepare
  local limit=${LAB_WALL:-$((secs + 90))}
  boot rootflags="$ROOT" init=/init $fast lab.secs="$secs" lab.snoop="$snoop" ${bundle:+lab.bundle="$bundle"}
  wait "$machine" || status=$?
  [ -f "$out/rc" ] || { echo "lab: no result from the guest (status $status); the end of $out/console.txt:" >&2; tail -5 "$out/console.txt" >&2; exit 125; }
  exit "$(cat "$out/rc")"
}

cmd=${1:-}; shift || true
case $cmd in build) if [ -n "$BLUEZ" ]; then build_bluez; else build; fi;; build-system) build_system;; system) system "$@";; bundle) bundle "$@";; run) run "$@";;
  prepare) prepare;; room) room;; *) sed -n 2,14p "$0" >&2; exit 2;; esac
