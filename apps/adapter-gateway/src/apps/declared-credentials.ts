import type { CredentialDeclaration, Manifest } from '#libs/adapter-sdk';
import type { LinkedCredential } from '#libs/contracts';
import type { AppRow } from '../entities/app.entity.js';

/** Of the built-in Webhook app: verifies incoming requests, and signs outgoing ones. */
export const signingSecret: CredentialDeclaration = {
  key: 'SIGNING_SECRET',
  type: 'text',
  label: 'Signing secret',
  maps_to: 'signing_secret',
  required: false,
  description: 'The field signing_secret is used. It checks the signatures of requests, and signs replies.',
};

/**
 * What an App declares: the manifest's credentials; the built-in App, its secret, required if signatures are checked.
 */
export function declarationsOf(
  app: Pick<AppRow, 'signature'>,
  manifest: Pick<Manifest, 'credentials'> | null,
): CredentialDeclaration[] {
  return manifest?.credentials ?? [{ ...signingSecret, required: app.signature !== null }];
}

/**
 * The declarations of an App that a record fills. A link without a declaration in the manifest in force has no effect.
 */
export function linksOf(
  app: Pick<AppRow, 'credentials' | 'signature'>,
  manifest: Pick<Manifest, 'credentials'> | null,
): LinkedCredential[] {
  return declarationsOf(app, manifest).flatMap(({ key, type, maps_to }) => {
    const credentialId = app.credentials[key];
    return credentialId === undefined ? [] : [{ key, type, maps_to, credential_id: credentialId }];
  });
}
