#!/usr/bin/env bash
# Restore the tables of a deployment to one point in time under new names, verify every account's ledger, print the duration of each
# step, and delete the restored tables. The deployment is not changed. See infra/docs/runbook-restore.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

usage() {
  cat <<'USAGE'
Usage: AWS_REGION=… TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/restore-drill.sh [options]

The variables name the deployed tables; the stack's outputs say what they are called (infra/docs/operations.md).

  --at <time>   the point in time, such as 2026-11-21T12:00:00Z. Default: the latest of all three tables
  --keep        keep the restored tables
  --sample <share>
                verify only this share of the transactions, such as 0.01
  --verify <suffix>
                wait for the tables that an earlier run restored, verify and keep them
  --dry-run     print the commands without running them
USAGE
}

at=
keep=
suffix=
dry_run=
verify=(--all)
while (($# > 0)); do
  case $1 in
    --at)
      at=${2:-}
      [[ $at =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z$ ]] || { echo 'Pass --at as 2026-11-21T12:00:00Z.' >&2; exit 2; }
      shift 2
      ;;
    --keep) keep=1; shift ;;
    --sample)
      [[ ${2:-} =~ ^(0\.[0-9]{1,6}|1)$ ]] || { echo 'Pass --sample as a share, such as 0.01.' >&2; exit 2; }
      verify+=(--sample "$2")
      shift 2
      ;;
    --verify)
      suffix=${2:-}
      [[ $suffix =~ ^-drill-[a-zA-Z0-9]+$ ]] || { echo 'Pass --verify with the suffix that was printed, such as -drill-20261121120000.' >&2; exit 2; }
      shift 2
      ;;
    --dry-run) dry_run=1; shift ;;
    --help) usage; exit ;;
    *) usage >&2; exit 2 ;;
  esac
done

[[ -z $suffix || -z $at ]] || { usage >&2; exit 2; }
need_tables

existing=$suffix
# The script deletes only tables with this suffix.
suffix=${existing:--drill-${DRILL_ID:-$(date -u +%Y%m%d%H%M%S)}}
sources=("$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT")

began=$SECONDS
# Print the duration of a step.
took() {
  [[ -n $dry_run ]] || echo "== $1: $((SECONDS - began)) s"
  began=$SECONDS
}

# Print the remaining tables on every exit.
left=
print_left() {
  [[ -n $left && -z $dry_run ]] || return 0
  printf '%s\n' 'Remaining tables, if they were restored:' "${sources[@]/%/$suffix}"
  echo "To continue: infra/operations/restore-drill.sh --verify $suffix"
}
trap print_left EXIT

if [[ -n $existing ]]; then
  for table in "${sources[@]}"; do run aws dynamodb describe-table --table-name "$table$suffix" --output text --query Table.TableStatus; done
  left=1
else
  # Each table has its own latest second. The earliest of the three exists in all tables.
  if [[ -z $at ]]; then
    latest=()
    for table in "${sources[@]}"; do
      ask=(aws dynamodb describe-continuous-backups --table-name "$table" --output text
        --query ContinuousBackupsDescription.PointInTimeRecoveryDescription.LatestRestorableDateTime)
      echo "+ ${ask[*]}"
      [[ -z $dry_run ]] || continue
      answer=$("${ask[@]}")
      [[ $answer == [0-9]* ]] || { echo "$table has no point-in-time recovery." >&2; exit 1; }
      second=$(second_of "$answer")
      latest+=("$second")
    done
    if [[ -n $dry_run ]]; then
      at='<the earliest of these>'
    else
      at=$(printf '%s\n' "${latest[@]}" | sort | sed -n 1p)
      echo "== all three tables as they were at $at"
    fi
  fi

  for table in "${sources[@]}"; do
    left=1
    run aws dynamodb restore-table-to-point-in-time \
      --source-table-name "$table" --target-table-name "$table$suffix" --restore-date-time "$at" --output text --query TableDescription.TableStatus
  done
  took 'restores asked for'
fi

for table in "${sources[@]}"; do wait_for table-exists "$table$suffix"; done
took 'tables restored'

export TABLE_TRANSACTIONS=$TABLE_TRANSACTIONS$suffix TABLE_ACCOUNTS=$TABLE_ACCOUNTS$suffix TABLE_CONTENT=$TABLE_CONTENT$suffix
failed=0
if [[ -z $dry_run ]]; then
  accounts=$(npm run --silent accounts -- list --json | node -pe 'JSON.parse(fs.readFileSync(0)).length')
  [[ $accounts != 0 ]] || { echo 'No account was restored.' >&2; failed=1; }
else
  echo "+ TABLE_TRANSACTIONS=$TABLE_TRANSACTIONS TABLE_ACCOUNTS=$TABLE_ACCOUNTS npm run accounts -- list --json"
fi
# The progress stays in a file, so that --verify continues after an interruption.
run npm run --silent ledger -- verify "${verify[@]}" --resume "${TMPDIR:-/tmp}/levy-verify$suffix.json" || failed=1
took 'ledgers verified'

((failed == 0)) || { echo 'The drill failed: see the findings above.' >&2; exit 1; }
if [[ -z $keep$existing ]]; then
  for table in "${sources[@]}"; do run aws dynamodb delete-table --table-name "$table$suffix" --output text --query TableDescription.TableStatus; done
  left=
  took 'restored tables deleted'
fi
