#!/usr/bin/env bash
# Lint the OpenAPI document, and generate and compile clients in four languages. Needs npx, Java 17 with Maven, Python 3 and Go,
# and the internet. Works in a new temporary folder.
set -euo pipefail
document=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../shared/api/openapi.json")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

REDOCLY_TELEMETRY=off npx --yes @redocly/cli@2.77.0 lint "$document"
echo 'extends: ["spectral:oas"]' > ruleset.yaml
npx --yes @stoplight/spectral-cli@6.16.3 lint --ruleset ruleset.yaml --fail-severity hint "$document"

mvn -q dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory="$work"
generate() { java -jar openapi-generator-cli-7.25.0.jar generate -i "$document" -g "$1" -o "$1" "${@:2}" > "$1.log" 2>&1 || { cat "$1.log"; return 1; }; }
generate typescript-fetch
generate python
generate java --library native
# Go has one namespace for the values of all enums.
generate go --additional-properties=enumClassPrefix=true

npx --yes -p typescript@5.9.3 tsc --noEmit --strict --target es2022 --lib es2022,dom --module esnext --moduleResolution bundler typescript-fetch/index.ts
echo 'TypeScript: compiled'
python3 -m venv venv
venv/bin/pip install -q ./python
venv/bin/python -m compileall -q python/openapi_client
venv/bin/python -c 'import openapi_client, openapi_client.api.transactions_api, openapi_client.models.transaction'
echo 'Python: compiled and imported'
(cd java && mvn -q compile)
echo 'Java: compiled'
(cd go && rm -rf test && go mod tidy && go build ./...)
echo 'Go: compiled'
