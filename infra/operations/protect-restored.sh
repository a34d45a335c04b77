#!/usr/bin/env bash
# Enable the settings that a restore does not: point-in-time recovery, deletion protection, TTL and the ledger's stream. Exits with 1
# unless all of them are enabled. See infra/docs/runbook-restore.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

[[ $# -eq 0 ]] || { echo 'Usage: AWS_REGION=… TABLE_TRANSACTIONS=… TABLE_ACCOUNTS=… TABLE_CONTENT=… infra/operations/protect-restored.sh' >&2; exit 2; }
need_tables

failed=0
# ensure <table> <setting> <expected pattern> <describe command> <query> <update command> <options>
ensure() {
  local table=$1 setting=$2 expected=$3 describe=$4 query=$5 change=$6 actual
  shift 6
  read_setting() { aws dynamodb "$describe" --table-name "$table" --output text --query "$query"; }
  actual=$(read_setting)
  if [[ ! $actual =~ ^($expected)$ ]]; then
    # The second read detects a refused update.
    run aws dynamodb "$change" --table-name "$table" "$@" --output text --query 'keys(@)' || true
    wait_for table-exists "$table"
    actual=$(read_setting)
  fi
  if [[ $actual =~ ^($expected)$ ]]; then
    echo "ok     $table: $setting"
  else
    echo "FAILED $table: $setting is $actual"
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
  # AWS takes up to an hour to enable TTL.
  ensure "$table" 'time to live' 'ttl (ENABLED|ENABLING)' \
    describe-time-to-live "join(' ', [TimeToLiveDescription.AttributeName || 'no', TimeToLiveDescription.TimeToLiveStatus])" \
    update-time-to-live --time-to-live-specification Enabled=true,AttributeName=ttl
done
ensure "$TABLE_TRANSACTIONS" 'the stream' NEW_AND_OLD_IMAGES describe-table Table.StreamSpecification.StreamViewType \
  update-table --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES

((failed == 0)) || { echo 'Some settings are not enabled: see above, then run this again.' >&2; exit 1; }
