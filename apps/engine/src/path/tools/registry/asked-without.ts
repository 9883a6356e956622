import type { CredentialBinding, PythonAsked } from '#libs/contracts';
import { isNamed } from '../tool.js';

/**
 * The requests of a Python tool's code that were made before it had read the credential that its Skill sends to their
 * host, or any where no host is named, in words; null: there are none. Code puts its credentials into requests by
 * itself, so what it has not read is in none of them.
 */
export function askedWithout(
  requests: readonly PythonAsked[] | undefined,
  bindings: readonly CredentialBinding[],
): string | null {
  const found = new Map<string, string>();
  for (const { origin, credentials } of requests ?? []) {
    if (!URL.canParse(origin)) continue;
    const url = new URL(origin);
    const meant = bindings.filter(({ hosts = [] }) => isNamed(url, hosts));
    const wanted = meant.length > 0 ? meant : bindings;
    if (wanted.length === 0 || wanted.some(({ as }) => credentials.includes(as))) continue;
    found.set(url.host, `${url.host} without a credential (${wanted.map(wordsOf).join('; ')})`);
  }
  return found.size === 0 ? null : `The code of this tool asked ${[...found.values()].join(', and ')}.`;
}

function wordsOf({ as, hosts = [] }: CredentialBinding): string {
  const where = hosts.length > 0 ? `, which goes to ${hosts.join(', ')}` : '';
  return `it had not read credential("${as}")${where}`;
}
