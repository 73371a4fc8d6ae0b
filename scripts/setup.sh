#!/bin/sh
# Checks what pip cannot install, then makes .venv: sh scripts/setup.sh [EXTRAS]. Exit 2 names everything missing.
set -eu

extras=${1:-alfworld,scienceworld,qa,pddl,leiden,wandb,dev}
missing=0

lacks() { # name, what for, Debian's command, macOS's command
    printf 'missing: %s\n    for:            %s\n    Debian, Ubuntu: %s\n    macOS:          %s\n' "$1" "$2" "$3" "$4" >&2
    missing=1
}

# Debian's python3 comes without ensurepip until python3-venv is there, so that is asked too.
fits='import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))'
python=
for name in ${PYTHON:-} python3 python3.12 python3.11; do
    if "$name" -c "$fits" >/dev/null 2>&1; then python=$name && break; fi
done
[ -n "$python" ] || lacks 'Python 3.11 or 3.12, with venv' 'everything (or name one: make setup PYTHON=/path/to/python)' \
    'sudo apt-get install python3 python3-venv' 'brew install python@3.12'

case ",$extras," in *,scienceworld,* | *,all,*)
    # macOS has a /usr/bin/java that only says where to get one, so it is run.
    java -version >/dev/null 2>&1 || lacks 'Java' 'env=scienceworld: its simulator is a jar' \
        'sudo apt-get install default-jre-headless' 'brew install --cask temurin' ;;
esac
case ",$extras," in *,alfworld,* | *,all,*)
    for compiler in gcc g++; do
        command -v "$compiler" >/dev/null 2>&1 || lacks "$compiler" 'env=alfworld: pip compiles its two engines' \
            'sudo apt-get install build-essential' 'xcode-select --install'
    done ;;
esac
if [ "$missing" -ne 0 ]; then
    echo 'Nothing was installed. Get what is missing, then give the same command again.' >&2
    exit 2
fi

echo "Making .venv with $("$python" --version) and [$extras] (the first time compiles ALFWorld's engines: a few minutes)"
.venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv .venv
# An engine's build calls a bare `python`, which Debian does not have; cmake comes with the build from the registry.
PATH="$PWD/.venv/bin:$PATH"
export PATH
log=.venv/setup.log
if ! .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$extras]" 2>"$log"; then
    grep -v ': warning: ' "$log" | tail -n 25 >&2
    echo "pip could not install everything; all that it said is in $log. The same command tries again." >&2
    exit 1
fi
