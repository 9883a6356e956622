#!/bin/sh
# Backs up an installation while it runs (docs/backup.md):
#   sh deploy/backup.sh DIR [--keys FILE]
#
# Writes DIR/<time>/ with database.dump (every schema as of one moment), manifest and SHA256SUMS. The keys that decrypt
# the credentials in it are not included: --keys copies .env to FILE, which belongs on another medium.
#
# With DATABASE_URL (of gatehouse_owner, directly to Postgres) it runs the pg_dump and psql of this machine; without,
# those of Compose's container, from the folder of docker-compose.yml.
set -eu
umask 077

fail() {
  echo "backup: $*" >&2
  exit 1
}

into='' keys=''
while [ $# -gt 0 ]; do
  case $1 in
    --keys)
      keys=${2:?--keys needs a file}
      shift
      ;;
    -*) fail "unknown option $1" ;;
    *) into=$1 ;;
  esac
  shift
done
[ -n "$into" ] || fail 'usage: sh deploy/backup.sh DIR [--keys FILE]'

# As the owner of the schemas, who can read every row and do nothing else in the server.
pg() {
  tool=$1
  shift
  if [ -n "${DATABASE_URL:-}" ]; then "$tool" --dbname="$DATABASE_URL" "$@" </dev/null
  else docker compose exec -T postgres "$tool" --username=gatehouse_owner --dbname=gatehouse "$@" </dev/null; fi
}
ask() { pg psql -X --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="$1"; }

mkdir -p "$into"
into=$(cd "$into" && pwd)
if [ -n "$keys" ]; then
  [ -f .env ] || fail 'there is no .env here: outside of Compose the keys are Secrets, which have a backup of their own'
  keys=$(cd "$(dirname "$keys")" && pwd)/$(basename "$keys")
  case $keys in "$into"/*) fail 'keys belong apart from the dump: name a file outside of the folder of backups' ;; esac
fi

at=$(date -u +%Y-%m-%dT%H%M%SZ)
[ ! -e "$into/$at" ] || fail "$into/$at is there already"
# Under another name until it is complete: a partial backup must not pass for one.
work=$into/.unfinished-$at
mkdir "$work"
trap 'rm -rf "$work"' EXIT

pg pg_dump --format=custom --lock-wait-timeout=60s >"$work/database.dump"

here=$(dirname "$0")
version=${GATEHOUSE_VERSION:-$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$here/../package.json" 2>/dev/null || true)}
kid_tables=$(ask "SELECT table_name FROM information_schema.columns
  WHERE table_schema = 'vault' AND column_name = 'kid' AND table_name <> 'kek_sentinel'")
[ -n "$kid_tables" ] || fail 'this database has no schema of the vault: is it of Gatehouse?'
{
  echo "gatehouse ${version:-unknown}"
  echo "taken $at"
  echo "postgres $(ask 'SHOW server_version')"
  for schema in $(ask "SELECT schemaname FROM pg_tables WHERE tablename = 'migration' ORDER BY 1"); do
    echo "schema $schema $(ask "SELECT name FROM $schema.migration ORDER BY id DESC LIMIT 1")"
  done
  for table in $kid_tables; do
    ask "SELECT DISTINCT 'key ' || kid FROM vault.$table WHERE kid IS NOT NULL"
  done | sort -u
} >"$work/manifest"
(cd "$work" && sha256sum database.dump manifest >SHA256SUMS)

[ -z "$keys" ] || cp .env "$keys"
mv "$work" "$into/$at"
trap - EXIT
echo "$into/$at"
if [ -n "$keys" ]; then echo "The keys that open it are in $keys: keep that file apart from the backup." >&2
else echo 'Without the keys no credential of it opens: keep .env (in Kubernetes the Secrets) apart from the backup.' >&2; fi
