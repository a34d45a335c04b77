#!/usr/bin/env bash
# Send requests that Schemathesis generates from the OpenAPI document to the local service, and check each response.
# Needs Python 3.11 with venv, and the internet. Options are passed on: npm run fuzz:api -- --max-time 600 --seed 7
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
PORT=0 DYNAMODB_PORT=0 DATA_DIR='' API_KEY=levy_fuzz node infra/local/start.ts > "$work/log" 2>&1 &
service=$!
trap 'kill "$service" 2> /dev/null || true; rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet schemathesis==4.32.5
until url=$(sed -n 's/^Levy  *\(http.*\)/\1/p' "$work/log") && [[ -n $url ]]; do
  kill -0 "$service" || { cat "$work/log"; exit 1; }
  sleep 1
done
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance
# The limit of the account is 2,000 requests in ten seconds.
"$work/venv/bin/schemathesis" run shared/api/openapi.json --url "$url" --header 'X-API-Key: levy_fuzz' --rate-limit 190/s \
  --phases examples,coverage,fuzzing --checks "$checks" --exclude-path-regex '^/(docs|console|openapi.json)$' --max-time 120 "$@"
