#!/usr/bin/env bash
# Install the packed client in an empty folder, type-check its example with TypeScript 5, and run it with plain Node 20 against
# the local service. Needs the internet.
set -euo pipefail
client=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
cd "$client/../.."
PORT=0 DYNAMODB_PORT=0 API_KEY=levy_demo node_modules/.bin/node infra/local/start.ts > "$work/service.log" &
service=$!
trap 'kill $service; rm -rf "$work"' EXIT

(cd "$client" && npm pack --silent --pack-destination "$work" > /dev/null)
cd "$work"
# The package node installs its binary in a script.
echo '{"type":"module","allowScripts":{"node":true}}' > package.json
npm install --no-audit --no-fund ./levy-client-*.tgz typescript@5.9.3 @types/node@20.19.43 node@20.20.2
cp node_modules/levy-client/examples/checkout.ts .
npx tsc --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --module nodenext --types node checkout.ts
until grep -q Levy service.log; do sleep 0.2; done
node_modules/.bin/node --version
LEVY_URL=$(sed -n 's/^Levy *//p' service.log) node_modules/.bin/node checkout.js
