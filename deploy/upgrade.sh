#!/bin/sh
# Brings a running Compose installation to what its folder says: another release that was checked out, or other values
# in .env or settings.env (UPGRADING.md). From the folder of docker-compose.yml:
#   sh deploy/upgrade.sh [--no-build] [--stores] [-f FILE ...]
#
# Everything that may be refused comes first, in containers of their own, while the older ones work: the settings, the
# login of Postgres' administrator, migrations, and each service's login to its stores. Then each service is replaced, one
# container at a time: a new one is healthy before an older one is told to stop. A container with a published port is
# stopped first, since its port cannot be held twice. What has not changed stays.
#
# Postgres, Redis and the proxy are replaced only with --stores, and only where their definitions changed.
set -eu

fail() {
  echo "upgrade: $*" >&2
  exit 1
}

build=yes stores='' files=''
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build='' ;;
    --stores) stores=yes ;;
    -f)
      files="${files:+$files:}${2:?-f needs a file}"
      shift
      ;;
    *) fail "unknown argument $1. Usage: sh deploy/upgrade.sh [--no-build] [--stores] [-f FILE ...]" ;;
  esac
  shift
done
[ -z "$files" ] || export COMPOSE_FILE="$files"

# Those that answer senders and people come last.
order='adapters python-runner credential-vault router engine mcp-registry adapter-gateway gatehouse webhook-ingress portal'
wait_s=180

say() { echo "upgrade: $*"; }
compose() { docker compose --progress quiet "$@" </dev/null; }
run_once() { compose run --rm --no-deps -T "$@"; }

compose config --quiet || fail 'Compose cannot read the settings (above). Nothing was changed.'
there=$(compose config --services)
is_there() { echo "$there" | grep -qx -- "$1"; }
ours=''
for service in $order; do ! is_there "$service" || ours="$ours $service"; done
[ -n "$(compose ps -q postgres)" ] || fail 'this installation does not run: start it with docker compose up --wait'

if [ -n "$build" ]; then
  say 'building the images'
  docker compose --progress quiet build </dev/null || fail 'an image was not built (above). Nothing was changed.'
fi

# $1: how main.js checks; see libs/service-kit/src/check-start.ts.
check() {
  wrong=''
  for service in $ours; do
    said=$(run_once "$service" sh -c "exec node --import ./dist/libs/service-kit/src/boot-signals.js dist/apps/\$APP/src/main.js $1" 2>&1) && continue
    wrong="$wrong $service"
    printf '%s\n' "$said"
  done
}

say 'checking the settings'
check --check
[ -z "$wrong" ] || fail "refused by$wrong (above). Nothing was changed: what runs keeps its earlier settings."

say 'preparing roles, migrating'
# New containers for both: an earlier one has the earlier passwords. `create` starts nothing, also not what is needed.
compose rm --force --stop database-roles migrate >/dev/null 2>&1 || true
compose create --no-build --no-recreate migrate >/dev/null || fail 'not prepared (above). No service was stopped.'
for job in database-roles migrate; do
  said=$(docker start --attach "$(compose ps --all -q "$job")" 2>&1) || {
    printf '%s\n' "$said"
    fail "refused by $job (above). No service was stopped."
  }
done

# Services keep their number of containers, those that do not run included.
count_of() { compose ps --all -q "$1" | grep -c . || true; }
scales=''
for service in $ours; do
  count=$(count_of "$service")
  [ "$count" -lt 2 ] || scales="$scales --scale $service=$count"
done

# Creates one container more of the service $1, of which there are $2, and starts nothing. Without the service's name:
# Compose would know no other one, and bring those that it needs back to one container.
make() {
  before=$(compose ps --all -q "$1")
  # shellcheck disable=SC2086
  compose create --no-build --no-recreate $scales --scale "$1=$(($2 + 1))" >/dev/null || return 1
  for made in $(compose ps --all -q "$1"); do
    case "$before" in *"$made"*) ;; *) return 0 ;; esac
  done
  return 1
}

# Whether the container $1 runs, and is what Compose makes now, as $2 is. Content that Compose puts into a container is no part of the
# definition that it compares.
definition='{{index .Config.Labels "com.docker.compose.config-hash"}} {{.Image}}'
content() { docker cp "$1:/etc/redis-users.acl" - 2>/dev/null | tar -xO 2>/dev/null || true; }
is_current() {
  [ "$(docker inspect --format '{{.State.Running}}' "$1")" = true ] &&
    [ "$(docker inspect --format "$definition" "$1")" = "$(docker inspect --format "$definition" "$2")" ] &&
    { [ "$service" != redis ] || [ "$(content "$1")" = "$(content "$2")" ]; }
}

# Replaces one of postgres, redis and proxy, where --stores asks for that.
renew() {
  service=$1
  olds=$(compose ps -q "$service")
  [ -n "$olds" ] || return 0
  make "$service" 1 || fail "no new container of $service was made (above). No service was stopped."
  current=yes
  is_current "$olds" "$made" || current=''
  docker rm --force "$made" >/dev/null
  [ -z "$current" ] || return 0
  if [ -z "$stores" ]; then
    say "$service has another definition than what runs. It stays: --stores replaces it."
    return 0
  fi
  say "replacing $service"
  # The proxy brings along what it needs, in its numbers. A store needs nothing, and with it Compose knows no other service.
  case $service in proxy) needed=$scales ;; *) needed='' ;; esac
  # shellcheck disable=SC2086
  compose up --detach --no-build --force-recreate --wait $needed "$service" || fail "$service does not start (above)"
}

renew postgres
renew redis

check --check=stores
[ -z "$wrong" ] || fail "no login for$wrong (above). No service was stopped: what runs keeps its earlier settings."

# Starts what was made, and removes it if it does not become healthy.
begin() {
  ! docker start "$made" >/dev/null || ! is_healthy "$made" || return 0
  docker logs --tail 5 "$made" 2>&1
  docker rm --force "$made" >/dev/null
  return 1
}

is_healthy() {
  left=$wait_s
  while [ "$left" -gt 0 ]; do
    case $(docker inspect --format '{{.RestartCount}} {{.State.Status}} {{.State.Health.Status}}' "$1") in
      '0 running healthy') return 0 ;;
      '0 running starting') ;;
      *) return 1 ;;
    esac
    sleep 1
    left=$((left - 1))
  done
  return 1
}

replace() {
  service=$1
  olds=$(compose ps --all -q "$service")
  count=$(count_of "$service")
  replaced=0
  if [ "$count" = 0 ]; then
    { make "$service" 0 && begin; } || fail "$service does not start (above)"
    say "$service started"
    return
  fi
  for old in $olds; do
    make "$service" "$count" || fail "no new container of $service was made (above): the earlier ones work on"
    if is_current "$old" "$made"; then
      docker rm --force "$made" >/dev/null
      continue
    fi
    if [ -n "$(docker port "$old")" ]; then
      docker stop "$old" >/dev/null
      begin || {
        docker start "$old" >/dev/null
        fail "a new $service does not start (above): the earlier one was started again"
      }
    else
      begin || fail "a new $service does not start (above): the earlier ones work on"
      docker stop "$old" >/dev/null
    fi
    docker rm "$old" >/dev/null
    replaced=$((replaced + 1))
  done
  if [ "$replaced" = 0 ]; then say "$service stays"; else say "$service: $replaced of $count replaced"; fi
}

for service in $ours; do replace "$service"; done
! is_there proxy || renew proxy
say 'done'
