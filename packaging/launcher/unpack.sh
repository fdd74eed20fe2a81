# Run by launcher.c as `sh -c` with the agent's own file as standard input: unpacks what lies behind the launcher, once
# a machine and user, and says by a stamp that it runs with this C library. $1: digest, $2: stamp, $3: first byte.
# One unpacks and the others wait for it; who has waited in vain unpacks for himself.
digest=$1 stamp=$2 at=$3
: "${PATH:=/usr/local/bin:/usr/bin:/bin}"
ours() { [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; }
whole() { for file in @NEEDED@; do [ -s "$1/$file" ] || return 1; done; }
runs() { [ -e "$1/$stamp" ] || "$1/@PROGRAM@" --version >/dev/null 2>&1 && : >"$1/$stamp"; }
open_rest() { [ ! -e "$1/@REST@" ] || "$1/@PROGRAM@" internal-unpack "$1/@REST@" >/dev/null 2>&1; }
unpack() {
    base=$1 dir=$1/agent-$digest lock=$1/agent-new-$digest new=$1/agent-new-$digest
    [ -d "$base" ] || (umask 077 && mkdir -p "$base")
    ours "$base" && chmod 700 "$base" || return 1
    if whole "$dir"; then runs "$dir"; return; fi
    if ! (umask 077 && mkdir "$new"); then
        waited=0
        while [ -d "$lock" ] && [ "$waited" -lt 100 ]; do sleep 0.3; waited=$((waited + 1)); done
        whole "$dir" && runs "$dir" && return
        new=$new-$$
        (umask 077 && mkdir "$new") || return 1
    fi
    if ! whole "$dir"; then # nor has another just made it so
        tail -c +"$at" /dev/stdin | gzip -dc | tar -x -f - -C "$new" && open_rest "$new" && whole "$new" && runs "$new" &&
            { [ ! -d "$dir" ] || mv -T "$dir" "$new-old"; } && mv -T "$new" "$dir"
    fi
    rm -rf "$new" "$new-old" "$lock"
    find "$base" -maxdepth 1 -name 'agent-new-*' -mtime +1 -exec rm -rf {} +
    whole "$dir" && runs "$dir"
}
# The same places, in the same order, as inquest/cli/clean.py removes.
for base in "${INQUEST_HOME:-${HOME:+$HOME/.cache/inquest}}" "${INQUEST_HOME:-/tmp/inquest-$(id -u)}"; do
    [ -n "$base" ] && unpack "$base" && exit 0
done
exit 1
