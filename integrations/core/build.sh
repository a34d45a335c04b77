#!/usr/bin/env bash
# Compile a plugin with the shared core to `dist`. The client is the package `levy-client`, because the core recognizes
# its errors by class. Run in the folder of the plugin.
set -euo pipefail
rm -rf dist
npx tsc -p tsconfig.build.json
rm -rf dist/shared
find dist -type f -exec sed -i -E "s#(['\"])(\.\./)+shared/client/[a-z-]+\.[jt]s\1#\1levy-client\1#g" {} +
cp ../../LICENSE .
