#!/usr/bin/env bash
# Switch on what a restored table comes without: point-in-time recovery, deletion protection, time to live, the ledger's stream. What
# is on already stays. It fails where one of them is not on in the end. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

[[ $# -eq 0 ]] || { echo 'Usage: AWS_REGION=… TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/protect-restored.sh' >&2; exit 2; }
need_tables

failed=0
# ensure <table> <what> <what the answer must match> <who answers> <its query> <who changes it> <its options>
ensure() {
  local table=$1 what=$2 wanted=$3 describe=$4 query=$5 change=$6 is
  shift 6
  ask() { aws dynamodb "$describe" --table-name "$table" --output text --query "$query"; }
  is=$(ask)
  if [[ ! $is =~ ^($wanted)$ ]]; then
    # What is refused is seen at the second look.
    run aws dynamodb "$change" --table-name "$table" "$@" --output text --query 'keys(@)' || true
    wait_for table-exists "$table"
    is=$(ask)
  fi
  if [[ $is =~ ^($wanted)$ ]]; then
    echo "ok     $table: $what"
  else
    echo "FAILED $table: $what is $is"
    failed=1
  fi
}

for table in "$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS" "$TABLE_CONTENT"; do
  ensure "$table" 'point-in-time recovery' ENABLED \
    describe-continuous-backups ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus \
    update-continuous-backups --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true
  ensure "$table" 'deletion protection' True describe-table Table.DeletionProtectionEnabled \
    update-table --deletion-protection-enabled
done
for table in "$TABLE_TRANSACTIONS" "$TABLE_ACCOUNTS"; do
  # AWS takes up to an hour to switch it on.
  ensure "$table" 'time to live' 'ttl (ENABLED|ENABLING)' \
    describe-time-to-live "join(' ', [TimeToLiveDescription.AttributeName || 'no', TimeToLiveDescription.TimeToLiveStatus])" \
    update-time-to-live --time-to-live-specification Enabled=true,AttributeName=ttl
done
ensure "$TABLE_TRANSACTIONS" 'the stream' NEW_AND_OLD_IMAGES describe-table Table.StreamSpecification.StreamViewType \
  update-table --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES

((failed == 0)) || { echo 'Not everything is on: see above, and run this again.' >&2; exit 1; }
