#!/bin/sh
. ./stage_times.sh
failed=0
expect() {
    if [ "$2" = "$3" ]; then echo "ok $1"; else echo "not ok $1: expected '$2', got '$3'"; failed=1; fi
}
expect seconds_have_two_digits "1:01.5" "$(format_time 615)"
expect penalties_count "Michèle Ari" "$(printf 'Ari 600 100\nMichèle 650 0\n' | ranking | xargs)"
exit $failed
