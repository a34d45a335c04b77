#!/usr/bin/env bash
# Prepare the release of a version: set it in every package, and write its section of CHANGELOG.md from the titles of
# the commits since the last tag. Commits and publishes nothing.
# Usage: infra/release/prepare.sh 1.2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=${1:?Pass a version, such as 1.2.0.}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "Invalid version $version. Pass a version such as 1.2.0." >&2; exit 1; }
! git rev-parse -q --verify "refs/tags/v$version" > /dev/null || { echo "The tag v$version exists." >&2; exit 1; }

for folder in . shared/client integrations/core integrations/stripe integrations/vendure integrations/medusa; do
  (cd "$folder" && npm version "$version" --no-git-tag-version --allow-same-version --ignore-scripts > /dev/null)
done
for folder in integrations/stripe integrations/vendure; do
  (cd "$folder" && npm pkg set "peerDependencies.levy-client=$version" && npm install --package-lock-only --ignore-scripts --no-audit --no-fund > /dev/null)
done
sed -i "s/^version = \".*\"/version = \"$version\"/" integrations/python/pyproject.toml

# The first release has no earlier tag: the text below the heading `Unreleased` describes it.
notes=
if git describe --tags --match 'v*' --abbrev=0 > /dev/null 2>&1; then
  notes=$(npx --yes git-cliff@2.14.2 --config infra/release/cliff.toml --unreleased --strip all)
fi
HEADING="## [$version] - $(date -u +%F)" NOTES=$notes node -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const { HEADING, NOTES } = process.env;
  const text = readFileSync("CHANGELOG.md", "utf8");
  if (!text.includes("## [Unreleased]\n")) throw new Error("CHANGELOG.md has no heading ## [Unreleased].");
  writeFileSync("CHANGELOG.md", text.replace("## [Unreleased]\n", () => `## [Unreleased]\n\n${HEADING}\n${NOTES && `\n${NOTES.trim()}\n`}`));
'
git --no-pager diff --stat
