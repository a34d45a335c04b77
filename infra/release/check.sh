#!/usr/bin/env bash
# Build every package of a release into out/packages, and check versions, contents, types and metadata. Publishes
# nothing. Needs the internet, and Python 3.11 for the Python client.
# Usage: infra/release/check.sh [version, such as 1.2.0]
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cd "$root"
packages=$root/out/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$packages"
mkdir -p "$packages"
version=$(node -p 'require("./package.json").version')
[[ ${1:-$version} == "$version" ]] || { echo "package.json has the version $version, not $1." >&2; exit 1; }

npm run pack
for folder in shared/client integrations/stripe integrations/vendure integrations/medusa; do
  echo "== $folder"
  cd "$root/$folder"
  actual=$(node -p 'require("./package.json").version')
  [[ $actual == "$version" ]] || { echo "$folder has the version $actual, not $version." >&2; exit 1; }
  [[ ! -f package-lock.json ]] || npm ci --ignore-scripts --no-audit --no-fund
  # Provenance requires the repository that builds the package.
  cp package.json "$work/package.json"
  [[ -z ${GITHUB_REPOSITORY:-} ]] ||
    npm pkg set "repository.url=git+https://github.com/$GITHUB_REPOSITORY.git" "repository.directory=$folder"
  npm pack --pack-destination "$packages" > "$work/pack.log" 2>&1 || { cat "$work/pack.log" >&2; exit 1; }
  cp "$work/package.json" package.json
  tarball=$packages/$(node -p 'require("./package.json").name')-$version.tgz
  tar tzf "$tarball" | sed 's#^package/##' > "$work/files"
  for required in LICENSE README.md package.json; do
    grep -qx "$required" "$work/files" || { echo "$tarball has no $required." >&2; exit 1; }
  done
  ! grep -E '(^|/)(test|tests|node_modules)/|\.test\.|\.env|tsbuildinfo' "$work/files" || { echo "$tarball has files that are not for users." >&2; exit 1; }
  npx --yes publint@0.3.25 run "$tarball" --strict
  npm publish --dry-run --access public "$tarball" 2>&1 | grep -E 'npm (notice (name|version|total files|package size)|error)|^\+'
done

echo '== an empty project with all packages'
mkdir "$work/project"
cd "$work/project"
npm init -y --init-type module > /dev/null
npm install --no-audit --no-fund --ignore-scripts "$packages"/levy-{client,stripe,vendure}-"$version".tgz typescript@5.9.3 stripe@23.1.0 @vendure/core@3.7.3 @types/node@20.19.43 > /dev/null
cat > use.ts <<'TS'
import { createClient, type Levy } from 'levy-client';
import { createLevyStripe, type LevyStripe } from 'levy-stripe';
import { createWebhook } from 'levy-stripe/webhook';
import { LevyPlugin } from 'levy-vendure';
import { levyFromEnvironment } from 'levy-vendure/options';
import { reconcileTask } from 'levy-vendure/reconcile';
import { backoff } from 'levy-vendure/record';
import Stripe from 'stripe';

const levy: Levy = createClient({ url: 'http://127.0.0.1:1/v1', apiKey: 'levy_demo' });
const stripe = new Stripe('sk_test_1');
const billing: LevyStripe = createLevyStripe({ stripe, levy });
const webhook = createWebhook({ stripe, billing, secret: 'whsec_1' });
const response = await webhook('{}', 'invalid');
if (response.status !== 400) throw new Error('An invalid signature was accepted.');
console.log(typeof LevyPlugin.init, typeof levyFromEnvironment, typeof reconcileTask, typeof backoff);
TS
npx tsc --strict --skipLibCheck --target es2022 --module nodenext --types node use.ts
node use.js

echo '== integrations/python'
cd "$root/integrations/python"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet build==1.6.1 twine==7.0.0
"$work/venv/bin/python" -m build --outdir "$packages" . > "$work/build.log" 2>&1 || { tail -20 "$work/build.log" >&2; exit 1; }
"$work/venv/bin/twine" check --strict "$packages"/levy_client-"$version"*
python3 -m venv "$work/clean"
"$work/clean/bin/pip" install --quiet "$packages"/levy_client-"$version"-py3-none-any.whl
"$work/clean/bin/python" -c 'import levy_client; print(sorted(name for name in dir(levy_client) if name[0].isupper()))'
ls -l "$packages"
