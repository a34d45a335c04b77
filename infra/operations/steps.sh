# shellcheck shell=bash
# What the scripts beside this one share; sourced, not run. With `dry_run` set, commands are printed and none is run.

run() {
  echo "+ $*"
  [[ -n ${dry_run:-} ]] || "$@"
}

# The region, and the tables by their names, in the variables that every command of ours reads.
need_tables() {
  local variable
  [[ -n ${AWS_REGION:-} ]] || { echo 'Set AWS_REGION to the region of the deployment: our commands would go to us-east-1 without it.' >&2; exit 2; }
  # Version 1 of the AWS CLI reads this one only.
  export AWS_DEFAULT_REGION=$AWS_REGION
  for variable in TABLE_TRANSACTIONS TABLE_ACCOUNTS TABLE_CONTENT; do
    [[ -n ${!variable:-} ]] || { echo "Set $variable to the name of the deployed table." >&2; exit 2; }
  done
}

# The second of a time that the AWS CLI printed: its versions print seconds since 1970, or a date with an offset.
second_of() {
  node -p 'const [at] = process.argv.slice(1); new Date(isNaN(at) ? at : at * 1000).toISOString().slice(0, 19) + "Z"' "$1"
}

# answer_or_gone <what the error is called where there is none> <command…>: what it answers, or `gone`. Any other error stays one.
answer_or_gone() {
  local missing=$1 error
  shift
  { error=$("$@" 2>&1 >&3) && return; } 3>&1
  [[ $error == *"$missing"* ]] || { echo "$error" >&2; return 1; }
  echo gone
}

# Wait until a table is there (table-exists) or gone (table-not-exists), for a day at the most: a waiter gives up after 500 s, and a
# large table takes hours. The pause leaves time to renew a session that has expired.
wait_for() {
  local look
  for ((look = 1; look <= 170; look++)); do
    run aws dynamodb wait "$1" --table-name "$2" && return
    echo "Still waiting for $1 of $2 (look $look of 170)."
    sleep "${PAUSE_SECONDS:-60}"
  done
  return 1
}
