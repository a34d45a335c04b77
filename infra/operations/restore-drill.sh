#!/usr/bin/env bash
# Restore the tables of a deployment to one point in time, beside the ones in use, verify every account's ledger there, say how long
# each step took, and delete what was restored. Nothing of the deployment is touched. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() {
  cat <<'USAGE'
Usage: TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/restore-drill.sh [options]

The variables name the deployed tables; the stack's resources say what they are called.

  --at <time>   the point in time, such as 2026-11-21T12:00:00Z; the latest one without it
  --keep        leave the restored tables there, to go on with them
  --dry-run     print the commands, and run none
USAGE
}

at=
keep=
dry_run=
while (($# > 0)); do
  case $1 in
    --at)
      at=${2:-}
      [[ $at =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z$ ]] || { echo 'Send --at as 2026-11-21T12:00:00Z.' >&2; exit 2; }
      shift 2
      ;;
    --keep) keep=1; shift ;;
    --dry-run) dry_run=1; shift ;;
    --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
  esac
done

for variable in TABLE_TRANSACTIONS TABLE_ACCOUNTS TABLE_CONTENT; do
  [[ -n ${!variable:-} ]] || { echo "Set $variable to the name of the deployed table." >&2; exit 2; }
done

# Every name that this script deletes ends so.
suffix=-drill-${DRILL_ID:-$(date -u +%Y%m%d%H%M%S)}
sources=("$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT")

run() {
  echo "+ $*"
  [[ -n $dry_run ]] || "$@"
}

began=$SECONDS
# How long the step has taken since the one before.
took() {
  [[ -n $dry_run ]] || echo "== $1: $((SECONDS - began)) s"
  began=$SECONDS
}

point=(--use-latest-restorable-time)
[[ -z $at ]] || point=(--restore-date-time "$at")

for table in "${sources[@]}"; do
  run aws dynamodb restore-table-to-point-in-time \
    --source-table-name "$table" --target-table-name "$table$suffix" "${point[@]}" --output text --query TableDescription.TableStatus
done
took 'restores asked for'

# The waiter gives up after 500 s; a large table takes longer.
wait_for() {
  local tries
  for tries in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run aws dynamodb wait table-exists --table-name "$1" && return
    echo "$1 is not there yet (look $tries)."
  done
  return 1
}
for table in "${sources[@]}"; do wait_for "$table$suffix"; done
took 'tables restored'

export TABLE_TRANSACTIONS=$TABLE_TRANSACTIONS$suffix TABLE_ACCOUNTS=$TABLE_ACCOUNTS$suffix TABLE_CONTENT=$TABLE_CONTENT$suffix
failed=0
if [[ -n $dry_run ]]; then
  echo "+ TABLE_TRANSACTIONS=$TABLE_TRANSACTIONS TABLE_ACCOUNTS=$TABLE_ACCOUNTS npm run accounts -- list --json"
  echo "+ TABLE_TRANSACTIONS=$TABLE_TRANSACTIONS TABLE_ACCOUNTS=$TABLE_ACCOUNTS npm run ledger -- verify --account <each of them>"
else
  accounts=$(npm run --silent accounts -- list --json | node -pe 'JSON.parse(fs.readFileSync(0)).map(({ id }) => id).join("\n")')
  [[ -n $accounts ]] || { echo 'No account was restored.' >&2; failed=1; }
  for account in $accounts; do
    run npm run --silent ledger -- verify --account "$account" || failed=1
  done
fi
took 'ledgers verified'

if [[ -n $keep || $failed -ne 0 ]]; then
  echo 'The restored tables are left there:'
  printf '  %s\n' "$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT"
else
  for table in "${sources[@]}"; do run aws dynamodb delete-table --table-name "$table$suffix" --output text --query TableDescription.TableStatus; done
  took 'restored tables deleted'
fi
((failed == 0)) || { echo 'The drill failed: see the findings above.' >&2; exit 1; }
