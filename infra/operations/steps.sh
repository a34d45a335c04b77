# shellcheck shell=bash
# Functions of the scripts in this folder. With `dry_run` set, `run` only prints the command.

run() {
  echo "+ $*"
  [[ -n ${dry_run:-} ]] || "$@"
}

# Require the region and the table names, which all commands of Levy read from the environment.
need_tables() {
  local variable
  [[ -n ${AWS_REGION:-} ]] || { echo 'Set AWS_REGION to the region of the deployment. The default is us-east-1.' >&2; exit 2; }
  # Version 1 of the AWS CLI reads only this variable.
  export AWS_DEFAULT_REGION=$AWS_REGION
  for variable in TABLE_TRANSACTIONS TABLE_ACCOUNTS TABLE_CONTENT; do
    [[ -n ${!variable:-} ]] || { echo "Set $variable to the name of the deployed table." >&2; exit 2; }
  done
}

# Convert a time of the AWS CLI to UTC: version 1 prints seconds since 1970, version 2 a date with an offset.
second_of() {
  node -p 'const [at] = process.argv.slice(1); new Date(isNaN(at) ? at : at * 1000).toISOString().slice(0, 19) + "Z"' "$1"
}

# Waits up to a day for a table to exist or to be deleted. One AWS waiter ends after 500 s, and a large table takes hours. The pause leaves
# time to renew an expired session.
wait_for() {
  local look
  for ((look = 1; look <= 170; look++)); do
    run aws dynamodb wait "$1" --table-name "$2" && return
    echo "Still waiting for $1 of $2 (look $look of 170)."
    sleep "${PAUSE_SECONDS:-60}"
  done
  return 1
}
