#!/usr/bin/env bash
# Let the pipe of events read the stream of a table that was restored: a stream has its time in its name, and a pipe keeps the source
# that it was made with. The pipe is made again under its own name. Sent again, it goes on where it was broken off. See restore-drill.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source infra/operations/steps.sh

[[ $# -eq 1 && $1 != -* ]] || { echo 'Usage: AWS_REGION=… TABLE_…=… infra/operations/follow-stream.sh <the pipe, the resource EventPipe of the stack>' >&2; exit 2; }
pipe=$1
[[ -n $pipe ]] || { echo 'This deployment tells nothing (events=false): it has no pipe.' >&2; exit 2; }
need_tables

stream=$(aws dynamodb describe-table --table-name "$TABLE_TRANSACTIONS" --output text --query Table.LatestStreamArn)
[[ $stream == arn:*/stream/* ]] || { echo "$TABLE_TRANSACTIONS has no stream: run protect-restored.sh first." >&2; exit 1; }

pipe_now() { answer_or_gone NotFoundException aws pipes describe-pipe --name "$pipe" --output text --query "$1"; }

# Kept, because for some time there is no pipe to read it from.
kept=out/follow-stream-$pipe.json
now=$(pipe_now '[Source,CurrentState]')
if [[ $now == "$stream"$'\t'RUNNING ]]; then
  rm -f "$kept"
  echo 'It reads this stream already.'
  exit
fi
if [[ ! -s $kept ]]; then
  definition=$(aws pipes describe-pipe --name "$pipe" --output json)
  mkdir -p out
  echo "$definition" > "$kept"
fi
role=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).RoleArn.split("/").pop()' "$kept")

# The role may read the stream that is gone, and no other.
actions='["dynamodb:DescribeStream","dynamodb:GetRecords","dynamodb:GetShardIterator","dynamodb:ListStreams"]'
run aws iam put-role-policy --role-name "$role" --policy-name restored-stream \
  --policy-document "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":$actions,\"Resource\":\"$stream\"}]}"

[[ $now == gone ]] || run aws pipes delete-pipe --name "$pipe" --output text --query CurrentState
while [[ $now != gone ]]; do
  now=$(pipe_now CurrentState)
  [[ $now != DELETE*FAILED ]] || { echo "The pipe is $now: look at it, and run this again." >&2; exit 1; }
  [[ $now == gone ]] || sleep "${PAUSE_SECONDS:-10}"
done

definition=$(node -p '
  const { Name, Description, SourceParameters, Enrichment, Target, TargetParameters, RoleArn } = JSON.parse(fs.readFileSync(process.argv[1]));
  JSON.stringify({ Name, Description, Source: process.argv[2], SourceParameters, Enrichment, Target, TargetParameters, RoleArn })' "$kept" "$stream")
run aws pipes create-pipe --cli-input-json "$definition" --output text --query CurrentState
state=CREATING
while [[ $state =~ ^(CREATING|STARTING|UPDATING)$ ]]; do
  # A failing look ends the script, and the definition stays.
  state=$(pipe_now CurrentState)
  [[ $state == RUNNING ]] || sleep "${PAUSE_SECONDS:-10}"
done
if [[ $state != RUNNING ]]; then
  echo "The pipe is $state, perhaps because the role's new policy was not known yet: run this again." >&2
  aws pipes describe-pipe --name "$pipe" --output text --query StateReason >&2
  exit 1
fi
rm "$kept"
echo "The pipe reads $stream."
