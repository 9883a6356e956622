import type { BoundCredential, BoundCredentials, CredentialFields } from '../tools/bound-credentials.js';

/** A credential as the vault and a Skill make it. */
export function credentialOf(fields: CredentialFields, over: Partial<BoundCredential> = {}): BoundCredential {
  return {
    as: 'only',
    type: 'text',
    fields,
    hosts: [],
    ownHosts: (fields['hosts'] ?? '').split(/[\s,]+/).filter((host) => host !== ''),
    header: fields['header'] ?? null,
    scheme: fields['scheme'] ?? null,
    ...over,
  };
}

/** What a tool with that one credential is given. */
export function boundTo(credential: BoundCredential): BoundCredentials {
  return { bindings: [], read: () => Promise.resolve(credential) };
}
