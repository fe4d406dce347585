# Stage times of a rally, in tenths of a second.

# Minutes, seconds and tenths: 835 is 1:23.5.
format_time() {
    minutes=$(($1 / 600))
    printf '%d:%d.%d\n' "$minutes" "$(($1 / 10 % 60))" "$(($1 % 10))"
}

# Lines "driver time penalty" on stdin; the drivers on stdout, fastest first.
ranking() {
    while read -r driver time penalty; do
        printf '%d %s\n' "$time" "$driver"
    done | sort -n | cut -d ' ' -f 2
}
