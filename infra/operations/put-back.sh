#!/usr/bin/env bash
# Put tables that were restored and verified in the place of the deployment's own, under the same names. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

usage() {
  cat <<'USAGE'
Usage: AWS_REGION=… TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/put-back.sh <suffix> <second> [--dry-run]

Deletes the three tables that the variables name, and restores them from copies of those with the suffix that restore-drill.sh has
printed, such as -drill-20261121120000. The second is the one to which those were restored; without it, the script looks, says which
that is, and changes nothing. Nothing may write meanwhile. Then run protect-restored.sh. Sent again, it goes on where it was broken off.
USAGE
}

suffix=${1:-}
second=${2:-}
[[ $suffix =~ ^-drill-[a-zA-Z0-9]+$ && $# -le 3 && ${3:---dry-run} == --dry-run ]] || { usage >&2; exit 2; }
[[ $# -lt 2 || $second =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$ ]] || { usage >&2; exit 2; }
dry_run=${3:-}
need_tables
tables=("$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT")
name=put-back-${second//[^0-9]/}

# What takes a table's place was restored from that table, and all three to the same second.
restored=
for table in "${tables[@]}"; do
  ask=(aws dynamodb describe-table --table-name "$table$suffix" --output text --query 'Table.RestoreSummary.[SourceTableArn,RestoreDateTime]')
  echo "+ ${ask[*]}"
  [[ -z $dry_run ]] || continue
  answer=$("${ask[@]}")
  read -r source time <<< "$answer"
  [[ $source == */"$table" ]] || { echo "$table$suffix was not restored from $table, but from $source. Nothing was changed." >&2; exit 1; }
  time=$(second_of "$time")
  [[ ${restored:=$time} == "$time" ]] || { echo "$table$suffix is as of $time, another as of $restored. Nothing was changed." >&2; exit 1; }
done
if [[ -z $dry_run && $restored != "$second" ]]; then
  echo "The tables with $suffix are as of $restored, and what was written after that would be lost. Nothing was changed. If that is the second:" >&2
  echo "  infra/operations/put-back.sh $suffix $restored" >&2
  exit 2
fi

copies=()
# Copy a table, and note which copy it is.
copy_of() {
  local ask=(aws dynamodb create-backup --table-name "$1" --backup-name "$name" --output text --query BackupDetails.BackupArn)
  echo "+ ${ask[*]}"
  copy="<the copy of $1>"
  [[ -n $dry_run ]] || copy=$("${ask[@]}")
  copies+=("$copy")
}

# The copy that an earlier run has made of a restored table, or nothing.
copy_at_hand() {
  aws dynamodb list-backups --table-name "$1" --output text \
    --query "BackupSummaries[?BackupName=='$name' && BackupStatus=='AVAILABLE'].[BackupArn]" | sed -n 1p
}

# All copies are there before anything is deleted, and the last of each table that will be. That one is always made anew: the service
# may have written since an earlier run.
states=()
from=()
for table in "${tables[@]}"; do
  state=there
  [[ -n $dry_run ]] ||
    state=$(answer_or_gone ResourceNotFoundException aws dynamodb describe-table --table-name "$table" --output text --query Table.RestoreSummary.SourceTableArn)
  [[ $state != */"$table$suffix" ]] || state='in place'
  states+=("$state")
  copy=
  if [[ $state != 'in place' ]]; then
    [[ $state == gone ]] || copy_of "$table"
    copy=
    [[ -n $dry_run ]] || copy=$(copy_at_hand "$table$suffix")
    [[ -n $copy ]] || copy_of "$table$suffix"
  fi
  from+=("$copy")
done
for copy in ${copies[@]+"${copies[@]}"}; do
  ask=(aws dynamodb describe-backup --backup-arn "$copy" --output text --query BackupDescription.BackupDetails.BackupStatus)
  echo "+ ${ask[*]}"
  status=CREATING
  [[ -z $dry_run ]] || status=AVAILABLE
  while [[ $status == CREATING ]]; do
    status=$("${ask[@]}")
    [[ $status != CREATING ]] || sleep "${PAUSE_SECONDS:-10}"
  done
  [[ $status == AVAILABLE ]] || { echo "The copy $copy is $status. Nothing was deleted." >&2; exit 1; }
done

for at in 0 1 2; do
  table=${tables[at]}
  if [[ ${states[at]} == 'in place' ]]; then
    echo "$table is in its place already."
    continue
  fi
  if [[ ${states[at]} != gone ]]; then
    run aws dynamodb update-table --table-name "$table" --no-deletion-protection-enabled --output text --query TableDescription.TableStatus
    wait_for table-exists "$table"
    run aws dynamodb delete-table --table-name "$table" --output text --query TableDescription.TableStatus
    wait_for table-not-exists "$table"
  fi
  run aws dynamodb restore-table-from-backup --target-table-name "$table" --backup-arn "${from[at]}" --output text --query TableDescription.TableStatus
done
for table in "${tables[@]}"; do wait_for table-exists "$table"; done
echo 'The tables are there again, unprotected and without a stream: go on with protect-restored.sh.'
