import { type Principal, Problem } from '#libs/service-kit';

/** @throws Problem 403 `caller_not_allowed` unless the caller is that service */
export function onlyFor(caller: Principal, service: 'engine' | 'mcp-registry'): void {
  if (caller.subject === `service:${service}`) return;
  throw new Problem(403, 'caller_not_allowed', `Only the service ${service} may call this.`);
}
