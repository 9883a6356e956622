import type { Manifest } from '#libs/adapter-sdk';

type Credentials = Record<string, string>;

/** The credentials of a Skill that come from its App, and every name under which the App ever gave one. */
export interface SkillLinks {
  credentials: { credential_id: string; as: string }[];
  names: string[];
}

/**
 * An App and the Skill of its manifest share their credentials (spec 1, rule 3), under the keys of the declarations. What
 * webhooks are checked with stays with the App: whoever has it can make messages up.
 * @param now the App's records by declaration key; none without an App
 * @param before those that the Skill was told of last
 */
export function skillLinks(manifest: Manifest, now: Credentials, before: Credentials): SkillLinks {
  const { credentials: declarations, webhook } = manifest;
  const verification = typeof webhook?.verification === 'object' ? webhook.verification['secret_fields'] : undefined;
  const checked = ['signing_secret', ...(Array.isArray(verification) ? verification.map(String) : [])];
  const shared = declarations.filter(({ key, maps_to: name }) => now[key] !== undefined && !checked.includes(name));
  const links = new Map(shared.map(({ key }) => [nameOf(key), now[key] ?? '']));
  return {
    credentials: [...links].map(([as, credential_id]) => ({ credential_id, as })),
    names: [...new Set([...declarations.map(({ key }) => key), ...Object.keys(before)].map(nameOf))],
  };
}

/** A key as a Skill may call a credential. */
function nameOf(key: string): string {
  const name = key.replaceAll(/[^\w-]/g, '_').slice(0, 63);
  return /^[A-Za-z]/.test(name) ? name : `c${name}`;
}
