#!/bin/sh
# Restores a backup into an empty database (docs/backup.md):
#   sh deploy/restore.sh DIR/<time> [--replace]
#
# Postgres must run with the roles made (database-roles), and no service may run. Everything is restored, or nothing.
# With --replace everything of Gatehouse in the database is deleted first. Redis is emptied: its jobs may refer to rows
# that the database does not have.
#
# With DATABASE_URL (of gatehouse_owner, directly to Postgres) it runs the pg_restore and psql of this machine, and
# emptying Redis is up to you; without, it runs those of Compose's containers, from the folder of docker-compose.yml.
set -eu

fail() {
  echo "restore: $*" >&2
  exit 1
}

from='' replace=''
for argument; do
  case $argument in
    --replace) replace=yes ;;
    -*) fail "unknown option $argument" ;;
    *) from=$argument ;;
  esac
done
[ -n "$from" ] || fail 'usage: sh deploy/restore.sh DIR/<time> [--replace]'

pg() {
  tool=$1
  shift
  if [ -n "${DATABASE_URL:-}" ]; then "$tool" --dbname="$DATABASE_URL" "$@"
  else docker compose exec -T postgres "$tool" --username=gatehouse_owner --dbname=gatehouse "$@"; fi
}
ask() { pg psql -X --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="$1" </dev/null; }
said() { sed -n "s/^$1 //p" "$from/manifest"; }

# Only a complete and undamaged backup, restored by the version that wrote it or a newer one.
[ -f "$from/manifest" ] && [ -f "$from/database.dump" ] || fail "$from is no backup: it has no manifest and database.dump"
(cd "$from" && sha256sum --status -c SHA256SUMS) || fail "$from is damaged: its files are not those of SHA256SUMS"

made_by=$(said gatehouse)
here=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$(dirname "$0")/../package.json" 2>/dev/null || true)
newer=$(printf '%s\n%s\n' "$made_by" "${here:-$made_by}" | sort -V | tail -n 1)
if [ "$made_by" != unknown ] && [ "$newer" != "${here:-$made_by}" ]; then
  fail "the backup is of Gatehouse $made_by, and this is $here: check out $made_by or newer"
fi

ring=${GATEHOUSE_KEK_RING:-$(sed -n 's/^GATEHOUSE_KEK_RING=//p' .env 2>/dev/null || true)}
for kid in $(said key); do
  case $ring in
    '') echo "restore: the vault will need the key $kid: no key ring is here to look for it" >&2 ;;
    *"\"$kid\""*) ;;
    *) fail "the key ring lacks $kid, by which credentials of this backup are sealed: put back the .env of that time" ;;
  esac
done

ask 'SELECT 1' >/dev/null || fail 'no connection as gatehouse_owner: start Postgres, and make the roles (docker compose run --rm database-roles)'
had=$(said postgres)
has=$(ask 'SHOW server_version')
[ "${has%%[!0-9]*}" -ge "${had%%[!0-9]*}" ] || fail "the backup is of Postgres $had, and this is $has"
busy=$(ask "SELECT string_agg(DISTINCT usename, ' ') FROM pg_stat_activity
  WHERE datname = current_database() AND usename LIKE 'gatehouse\\_%' AND pid <> pg_backend_pid()")
[ -z "$busy" ] || fail "services are connected ($busy): stop them first"

schemas=$(said schema | cut -d ' ' -f 1)
for schema in $schemas; do
  [ -n "$(ask "SELECT 1 FROM pg_namespace WHERE nspname = '$schema'")" ] || continue
  [ -n "$replace" ] || fail "the database has a schema $schema: restore into an empty one, or delete what is there with --replace"
  ask "SET client_min_messages = error; DROP SCHEMA $schema CASCADE"
done

if [ -z "${DATABASE_URL:-}" ]; then
  docker compose up --detach --wait --no-deps redis >/dev/null 2>&1 || fail 'Redis does not start'
  docker compose exec -T redis redis-cli --user gatehouse_admin --no-auth-warning FLUSHALL </dev/null >/dev/null
fi

# Owned by the restoring role, without grants: migrating grants each service its privileges. In one transaction.
pg pg_restore --single-transaction --exit-on-error --no-owner --no-privileges <"$from/database.dump"
ask 'SET client_min_messages = error; ANALYZE'
echo "Restored what was there at $(said taken). Now migrate and start the services (docker compose up --wait)."
[ -z "${DATABASE_URL:-}" ] || echo 'If this Redis was used before, empty it first (FLUSHALL): its jobs are of rows that may be gone.'
