#!/usr/bin/env bash
# Runs tests of Windows executables under Wine 10 or newer: of this machine, or in a Debian 13 root in WINE_ROOT, which
# `run.sh root` makes. Skips, with the reason, where there is neither. `run.sh REGEXP` runs only the tests that match,
# `run.sh list` prints the packages.
set -euo pipefail
{ # read as a whole: bash would notice an edit while it runs
cd "$(dirname "$0")/../../.."
repo=$PWD
root=${WINE_ROOT:-$HOME/.cache/aburn/wine}

# Left out: what starts agents as scripts of sh (install/doctor: the walk runs it), git or tmux, and pure packages.
packages="logfmt workflow chain archive templates hooks install trace/packed internal/atomicfile internal/journal
	internal/jsonl internal/lockfile internal/plain internal/proc internal/project internal/queue internal/recent
	internal/scrub internal/settings internal/shell"

if [ "${1:-}" = list ]; then
	printf './%s\n' $packages
	exit
fi

if [ "${1:-}" = root ]; then
	command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 1; }
	rm -rf "$root.new"
	mkdir -p "$(dirname "$root")"
	debootstrap --variant=minbase --include=ca-certificates,wine,wine64 trixie "$root.new" >"$root.log" 2>&1 || {
		echo "debootstrap failed, see $root.log"
		exit 1
	}
	rm -rf "$root" && mv "$root.new" "$root"
	exit
fi

skip() { echo "test-windows: skipped: $1"; exit 0; }

# enter runs a command in the root, in process and mount namespaces of its own: with it, Wine's services end. They outlive
# the program that started them and keep its pipes open, so the output goes to a file.
enter() {
	unshare --mount --pid --fork --kill-child sh -c '
		root=$1 repo=$2 work=$3; shift 3
		mkdir -p "$root/repo" "$root/work" &&
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
		mount -o bind,ro "$repo" "$root/repo" && mount --bind "$work" "$root/work" &&
		exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 ABURN_WINDOWS=/work ABURN_REPO=/repo "$@"
	' sh "$root" "$repo" "$work" "$@"
}
here() { env ABURN_WINDOWS="$work" ABURN_REPO="$repo" "$@"; }

work=$(mktemp -d "${TMPDIR:-/tmp}/aburn-windows.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ -d "$root/usr/lib/wine" ]; then
	[ "$(id -u)" = 0 ] || skip "the root in $root needs the user root"
	how=enter
elif command -v wine >/dev/null; then
	how=here
else
	skip "there is neither Wine nor a root with it in $root (make wine-root makes one, in about 5 minutes)"
fi
timeout -k 5 60 bash -c "$(declare -f "$how"); root='$root' repo='$repo' work='$work'; $how wine --version" >"$work/version" 2>/dev/null </dev/null || skip "wine --version failed"
version=$(sed -n 's/^wine-\([0-9]*\).*/\1/p' "$work/version")
[ "${version:-0}" -ge 10 ] || skip "Wine ${version:-of an unknown version} is older than 10: deletes fail in it"

mkdir "$work/bin" "$work/tests"
export CGO_ENABLED=0
GOOS=windows go build -trimpath -o "$work/bin/" ./cmd/aburn ./cmd/aburn-hook
[[ TestPackages =~ ${1:-.} ]] || packages=
touch "$work/packages"
for p in $packages; do
	GOOS=windows go test -c -o "$work/tests/${p//\//_}.exe" "./$p"
	echo "$p ${p//\//_}.exe" >>"$work/packages"
done
go test -c -o "$work/windows.test" ./internal/lab/windows

status=0
if [ $how = enter ]; then
	enter sh -c 'cd /repo/internal/lab/windows && exec "$@"' sh /work/windows.test -test.v -test.timeout 40m -test.run "${1:-.}" >"$work/out" 2>&1 </dev/null || status=$?
else
	(cd internal/lab/windows && here "$work/windows.test" -test.v -test.timeout 40m -test.run "${1:-.}") >"$work/out" 2>&1 </dev/null || status=$?
fi
cat "$work/out"
exit $status
}
