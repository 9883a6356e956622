import { associatedData } from './associated-data.js';

/** What a data key is wrapped to: it opens for no other credential, and under no other name of a key. */
export function dekPlace(kid: string, { organizationId, credentialId }: DekOwner): Buffer {
  return associatedData(['vault-dek', 'v1', kid, organizationId, credentialId]);
}

export interface DekOwner {
  organizationId: string;
  credentialId: string;
}
