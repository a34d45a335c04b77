# What the scripts beside this one share; sourced, not run. With `dry_run` set, commands are printed and none is run.

run() {
  echo "+ $*"
  [[ -n ${dry_run:-} ]] || "$@"
}

# The tables by their names in the variables that every command of ours reads.
need_tables() {
  local variable
  for variable in TABLE_TRANSACTIONS TABLE_ACCOUNTS TABLE_CONTENT; do
    [[ -n ${!variable:-} ]] || { echo "Set $variable to the name of the deployed table." >&2; exit 2; }
  done
}

# Wait until a table is there (table-exists) or gone (table-not-exists). A waiter gives up after 500 s; a large table takes longer.
wait_for() {
  local tries
  for tries in 1 2 3 4 5 6 7 8 9 10 11 12; do
    run aws dynamodb wait "$1" --table-name "$2" && return
    echo "Still waiting for $1 of $2 (look $tries)."
  done
  return 1
}
