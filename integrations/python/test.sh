#!/usr/bin/env bash
# Generate the client and install it into .venv, test it against the local service, and check its types.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[[ -d .venv ]] || python3 -m venv .venv
.venv/bin/pip install --quiet --editable '.[test]'
.venv/bin/pytest "$@"
.venv/bin/mypy
