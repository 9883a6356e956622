import type { CredentialDeclaration, Manifest } from '#libs/adapter-sdk';

/** The credentials that an App shares with its Skill. What webhooks are verified with stays with the App: whoever has it can forge messages. */
export function sharedWithSkill({
  credentials,
  webhook,
}: Pick<Manifest, 'credentials' | 'webhook'>): CredentialDeclaration[] {
  const verification = typeof webhook?.verification === 'object' ? webhook.verification['secret_fields'] : undefined;
  const checked = ['signing_secret', ...(Array.isArray(verification) ? verification.map(String) : [])];
  return credentials.filter(({ maps_to: name }) => !checked.includes(name));
}
