#!/usr/bin/env bash
# Let the pipe of events read the stream of a table that was restored: a stream has its time in its name, and a pipe keeps the source
# that it was made with. The pipe is made again under its own name. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

[[ $# -eq 1 && $1 != -* ]] || { echo 'Usage: TABLE_TRANSACTIONS=… infra/operations/follow-stream.sh <the pipe, the resource EventPipe of the stack>' >&2; exit 2; }
pipe=$1
[[ -n ${TABLE_TRANSACTIONS:-} ]] || { echo 'Set TABLE_TRANSACTIONS to the name of the deployed table.' >&2; exit 2; }

stream=$(aws dynamodb describe-table --table-name "$TABLE_TRANSACTIONS" --output text --query Table.LatestStreamArn)
[[ $stream == arn:*/stream/* ]] || { echo "$TABLE_TRANSACTIONS has no stream: run protect-restored.sh first." >&2; exit 1; }

# Kept, because for some time there is no pipe to read it from.
kept=follow-stream-$pipe.json
[[ -s $kept ]] || aws pipes describe-pipe --name "$pipe" --output json > "$kept"
[[ $(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).Source' "$kept") != "$stream" ]] || { rm "$kept"; echo 'It reads this stream already.'; exit; }
role=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).RoleArn.split("/").pop()' "$kept")

# The role may read the stream that is gone, and no other.
actions='["dynamodb:DescribeStream","dynamodb:GetRecords","dynamodb:GetShardIterator","dynamodb:ListStreams"]'
run aws iam put-role-policy --role-name "$role" --policy-name restored-stream \
  --policy-document "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":$actions,\"Resource\":\"$stream\"}]}"

if aws pipes describe-pipe --name "$pipe" --output text --query CurrentState; then
  run aws pipes delete-pipe --name "$pipe" --output text --query CurrentState
fi
while aws pipes describe-pipe --name "$pipe" --output text --query CurrentState 2> /dev/null; do sleep "${PAUSE_SECONDS:-10}"; done

definition=$(node -p '
  const { Name, Description, SourceParameters, Enrichment, Target, TargetParameters, RoleArn } = JSON.parse(fs.readFileSync(process.argv[1]));
  JSON.stringify({ Name, Description, Source: process.argv[2], SourceParameters, Enrichment, Target, TargetParameters, RoleArn })' "$kept" "$stream")
run aws pipes create-pipe --cli-input-json "$definition" --output text --query CurrentState
while state=$(aws pipes describe-pipe --name "$pipe" --output text --query CurrentState) && [[ $state != RUNNING ]]; do
  [[ $state != *FAILED ]] || { echo "The pipe is $state, perhaps because the role's new policy was not known yet: run this again." >&2; exit 1; }
  sleep "${PAUSE_SECONDS:-10}"
done
rm "$kept"
echo "The pipe reads $stream."
