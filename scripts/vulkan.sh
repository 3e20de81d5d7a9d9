#!/bin/sh
# vulkan.sh [FOLDER]: a software Vulkan device with cooperative matrices, and a
# spirv-val that knows them, in a folder of their own; prints the folder.
#
# Debian 12 has neither: Mesa's lavapipe got VK_KHR_cooperative_matrix in 2025.
# So packages of Debian's testing suite are unpacked, not installed, and run with
# the C library of that suite, which they bring along. Needs apt and a network,
# no root rights; a folder that is complete is left as it is.
#
#   FOLDER/bin/vulkan-run PROGRAM ARGUMENT...   PROGRAM, on that device
#   FOLDER/bin/spirv-val ARGUMENT...
set -eu
folder=${1:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/kami/vulkan}
suite=testing

complain() {
  echo "vulkan: $1" >&2
  exit 1
}

if [ -e "$folder/complete" ]; then
  echo "$folder"
  exit 0
fi
for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || complain "there is no $tool"
done
[ "$(dpkg --print-architecture)" = amd64 ] || complain "expected an amd64 machine"

# Built beside the folder and moved there at the end, so that two runs at a time
# do not meet, and what was interrupted does not look complete.
mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" \
  "$work/root/usr/lib" "$work/bin"

# The mirror that the system already uses, whichever of apt's two formats says it.
mirror=$(apt-get indextargets --format '$(SITE) $(COMPONENT)' \
  'Created-By: Packages' 2>/dev/null |
  awk '$1 ~ /\/debian\/?$/ && $2 == "main" { print $1; exit }')
[ -n "$mirror" ] || complain "apt has no source of Debian's to take packages from"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [arch=amd64 signed-by=$keyring] $mirror $suite main" >"$work/apt/sources.list"
: >"$work/apt/status"
cat >"$work/apt/apt.conf" <<CONF
Dir::State "$work/apt";
Dir::State::Lists "$work/apt/lists";
Dir::State::Status "$work/apt/status";
Dir::Cache "$work/apt/cache";
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "-";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Debug::NoLocking "true";
CONF

apt() {
  APT_CONFIG="$work/apt/apt.conf" apt-get -qq -y "$@" >"$work/log" 2>&1 ||
    complain "apt-get $1 failed: $(tail -n 1 "$work/log")"
}
apt update
apt install --download-only mesa-vulkan-drivers libvulkan1 spirv-tools

# As Debian does since it merged /usr.
for name in bin sbin lib lib64; do
  mkdir -p "$work/root/usr/$name"
  ln -s "usr/$name" "$work/root/$name"
done
for package in "$work"/apt/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$work/root" --keep-directory-symlink --no-same-owner
done
rm -rf "$work/apt"

libraries=$folder/root/usr/lib/x86_64-linux-gnu
interpreter=$folder/root/usr/lib64/ld-linux-x86-64.so.2
for library in libvulkan_lvp.so libvulkan.so.1; do
  [ -e "$work/root/usr/lib/x86_64-linux-gnu/$library" ] ||
    complain "the packages have no $library"
done
[ -e "$work/root/usr/lib64/ld-linux-x86-64.so.2" ] ||
  complain "the packages have no program loader"

cat >"$work/lavapipe.json" <<JSON
{
  "file_format_version": "1.0.1",
  "ICD": {"library_path": "$libraries/libvulkan_lvp.so", "api_version": "1.4.0"}
}
JSON
cat >"$work/bin/vulkan-run" <<RUN
#!/bin/sh
export VK_DRIVER_FILES='$folder/lavapipe.json' VK_LOADER_LAYERS_DISABLE='~all~'
export MESA_SHADER_CACHE_DISABLE=true
exec '$interpreter' --library-path '$libraries' "\$@"
RUN
cat >"$work/bin/spirv-val" <<RUN
#!/bin/sh
exec '$interpreter' --library-path '$libraries' '$folder/root/usr/bin/spirv-val' "\$@"
RUN
chmod +x "$work/bin/vulkan-run" "$work/bin/spirv-val"
touch "$work/complete"

# Another run may have been faster; its folder is as good.
rm -f "$work/log"
if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  mv -T "$work" "$folder" 2>/dev/null || [ -e "$folder/complete" ] ||
    complain "cannot write $folder"
fi
chmod 755 "$folder"
echo "$folder"
