/**
 * The address of a replica as this service connects. Without a user in it, it is that of the primary with its host, port
 * and options, so that one value serves services that each have a role of their own.
 */
export function replicaUrl(replica: string, primary: string): string {
  const given = new URL(replica);
  if (given.username !== '') return replica;
  const own = new URL(primary);
  given.username = own.username;
  given.password = own.password;
  if (given.pathname.length <= 1) given.pathname = own.pathname;
  if (given.search === '') given.search = own.search;
  return given.href;
}
