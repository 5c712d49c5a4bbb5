#!/usr/bin/env bash
# Times a search of several processes, each in a network namespace of its own whose link has a limited rate, and compares with the model of
# cost of the page "Scale and cost". It needs Linux, root, `ip` and `tc`.
#
# Use: checks/benches/link.sh MBIT PROCESSES NAME [PARAMETER...], as in
#   cargo build --release -p refmap-checks
#   checks/benches/link.sh 50 2 ben-ari --nodes 5 --sons 1 --roots 1 --obligations none
set -euo pipefail
rate=$1 processes=$2
shift 2
program=$(dirname "$0")/../../target/release/refmap
work=$(mktemp -d)
trap 'for i in $(seq 0 $((processes - 1))); do ip netns del refmap$i 2>/dev/null; done; ip link del refmap-br 2>/dev/null; rm -rf "$work"' EXIT

ip link add refmap-br type bridge
ip link set refmap-br up
for i in $(seq 0 $((processes - 1))); do
    ip netns add "refmap$i"
    ip link add "refmap-ve$i" type veth peer name eth0 netns "refmap$i"
    ip link set "refmap-ve$i" master refmap-br
    ip link set "refmap-ve$i" up
    ip -n "refmap$i" addr add "10.9.0.$((i + 1))/24" dev eth0
    ip -n "refmap$i" link set eth0 up
    ip -n "refmap$i" link set lo up
    ip netns exec "refmap$i" tc qdisc add dev eth0 root tbf rate "${rate}mbit" burst 256kb latency 200ms
    echo "10.9.0.$((i + 1)):7000" >>"$work/hosts"
done

seconds() { sed -n 's/^ *"seconds": *\([0-9.]*\).*/\1/p' "$1" | head -1; }
figure() { sed -n "s/^ *\"$2\": *\([0-9]*\).*/\1/p" "$1" | head -1; }

"$program" check "$@" --threads 1 --processes "$processes" --json >"$work/unlimited" || true
for i in $(seq 1 $((processes - 1))); do
    ip netns exec "refmap$i" "$program" check "$@" --threads 1 --hosts "$work/hosts" --process "$i" --quiet &
done
ip netns exec refmap0 "$program" check "$@" --threads 1 --hosts "$work/hosts" --process 0 --json >"$work/limited" || true
wait || true

awk -v t0="$(seconds "$work/unlimited")" -v t="$(seconds "$work/limited")" -v s="$(figure "$work/limited" states)" \
    -v n="$(figure "$work/limited" transitions)" -v p="$processes" -v rate="$rate" 'BEGIN {
        bytes = 8 * (0.6 * n * (p - 1) / p ^ 2 + s / p)
        model = t0 + bytes / (rate * 125000)
        printf "without a limit %.1f s, at %d Mbit/s %.1f s; the model says %.1f s, %+.0f %%\n", t0, rate, t, model, 100 * (model / t - 1)
    }'
for i in $(seq 0 $((processes - 1))); do
    echo "process $i sent $(ip netns exec "refmap$i" cat /sys/class/net/eth0/statistics/tx_bytes) bytes"
done
