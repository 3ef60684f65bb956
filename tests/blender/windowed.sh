#!/usr/bin/env bash
# Set up a Blender with a window, for the window test, on a Debian or Ubuntu system:
#
#   sudo tests/blender/windowed.sh DIR [SUITE]
#   RETIME_BLENDER=DIR/blender pytest tests/blender -k window
#
# DIR becomes a Debian system with Blender in it (about 3 GB), from the suite sid by default. The
# program DIR/blender runs that Blender. It sees the files of this system under their own names,
# through mounts that end with it. Removing DIR removes everything.
set -euo pipefail
dir=$(readlink -m "${1:?usage: windowed.sh DIR [SUITE]}")
suite=${2:-sid}
packages=(blender python3-cattr python3-numpy python3-requests python3-venv python3-pip libgl1 libegl1
  libgl1-mesa-dri libegl-mesa0 libglx-mesa0 fonts-dejavu-core)

for program in debootstrap Xvfb; do
  command -v "$program" >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${program,,}"
done
test -e "$dir/etc/debian_version" || debootstrap --variant=minbase "$suite" "$dir"
# A mirror that stands still is as good for a test as one of today.
echo 'Acquire::Check-Valid-Until "false";' >"$dir/etc/apt/apt.conf.d/99valid"
mount -t proc proc "$dir/proc"
trap 'umount "$dir/proc"' EXIT
DEBIAN_FRONTEND=noninteractive chroot "$dir" sh -c \
  "apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages[*]}"

cat >"$dir/blender" <<'RUN'
#!/bin/sh
# Run the Blender of this folder, in a mount namespace that shows this system's files in it.
exec unshare --mount sh -c '
  root=$1
  shift
  for folder in /*; do
    case $folder in
    /bin | /boot | /etc | /lib* | /sbin | /usr | /var) continue ;;
    /dev | /proc | /run | /sys) kind=--rbind ;;
    *) kind=--bind ;;
    esac
    test -d "$folder" && mkdir -p "$root$folder" && mount $kind "$folder" "$root$folder"
  done
  exec chroot "$root" /usr/bin/env LC_ALL=C.UTF-8 blender "$@"
' sh "$(dirname "$(readlink -f "$0")")" "$@"
RUN
chmod +x "$dir/blender"
"$dir/blender" --version | head -1
