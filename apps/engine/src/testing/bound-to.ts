import type { BoundCredential, BoundCredentials, CredentialFields } from '../path/tools/bound-credentials.js';

/** A credential as the vault and a Skill provide it. */
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

/** The credentials of a tool that has only this one. */
export function boundTo(credential: BoundCredential): BoundCredentials {
  return {
    bindings: [],
    read: () => Promise.resolve(credential),
    replaceRefused: () => Promise.resolve(null),
  };
}
