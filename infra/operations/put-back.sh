#!/usr/bin/env bash
# Put tables that were restored and verified in the place of the deployment's own, under the same names. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

usage() {
  cat <<'USAGE'
Usage: TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/put-back.sh <suffix> [--dry-run]

Deletes the three tables that the variables name, and restores them from copies of those with the suffix that restore-drill.sh has
printed, such as -drill-20261121120000. Nothing may write meanwhile. Then run protect-restored.sh. Sent again, it goes on where it
was broken off.
USAGE
}

suffix=${1:-}
[[ $suffix =~ ^-drill-[a-zA-Z0-9]+$ ]] || { usage >&2; exit 2; }
dry_run=
case ${2:-} in
  '') ;;
  --dry-run) dry_run=1 ;;
  *) usage >&2; exit 2 ;;
esac
need_tables
tables=("$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT")

# All three copies are there before anything is deleted.
copies=()
for table in "${tables[@]}"; do
  ask=(aws dynamodb create-backup --table-name "$table$suffix" --backup-name put-back --output text --query BackupDetails.BackupArn)
  echo "+ ${ask[*]}"
  copy="<the copy of $table$suffix>"
  [[ -n $dry_run ]] || copy=$("${ask[@]}")
  copies+=("$copy")
done
for copy in "${copies[@]}"; do
  ask=(aws dynamodb describe-backup --backup-arn "$copy" --output text --query BackupDescription.BackupDetails.BackupStatus)
  echo "+ ${ask[*]}"
  until [[ -n $dry_run || $("${ask[@]}") == AVAILABLE ]]; do sleep "${PAUSE_SECONDS:-10}"; done
done

# Which table it was restored from: `None` where it was not, `gone` where there is no such table.
origin_of() { aws dynamodb describe-table --table-name "$1" --output text --query Table.RestoreSummary.SourceTableArn 2> /dev/null || echo gone; }

for at in 0 1 2; do
  table=${tables[at]}
  origin=None
  [[ -n $dry_run ]] || origin=$(origin_of "$table")
  # A run that was broken off is gone on with.
  if [[ $origin == */"$table$suffix" ]]; then
    echo "$table is in its place already."
    continue
  fi
  if [[ $origin != gone ]]; then
    run aws dynamodb update-table --table-name "$table" --no-deletion-protection-enabled --output text --query TableDescription.TableStatus
    wait_for table-exists "$table"
    # With point-in-time recovery on, DynamoDB keeps what it deletes for 35 days: list-backups --backup-type SYSTEM.
    run aws dynamodb delete-table --table-name "$table" --output text --query TableDescription.TableStatus
    wait_for table-not-exists "$table"
  fi
  run aws dynamodb restore-table-from-backup --target-table-name "$table" --backup-arn "${copies[at]}" --output text --query TableDescription.TableStatus
done
for table in "${tables[@]}"; do wait_for table-exists "$table"; done
echo 'The tables are there again, unprotected and without a stream: go on with protect-restored.sh.'
