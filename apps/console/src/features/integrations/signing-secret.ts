import { answer, api, type Schema } from '../../api/client.js';
import { signatureTexts } from '../../texts/app-signatures.js';
import { type App, saveApp } from './use-app.js';

export type Signature = Schema<'SignatureSettings'>;

/** The declaration of the built-in Webhook App, and the credential field that fills it. */
const declaration = 'SIGNING_SECRET';
export const secretField = 'signing_secret';
const secretBytes = 32;

/** A new secret in the format of the scheme. */
export function generateSecret(scheme: Signature['scheme']): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes));
  if (scheme === 'standard-webhooks') return `whsec_${btoa(String.fromCharCode(...bytes))}`;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export const secretOf = ({ credentials }: App): Schema<'AppCredentialView'> | undefined =>
  credentials.find(({ key }) => key === declaration);

/** A credential whose field can hold several secrets, so that a second one does not end the first. @returns its id */
export async function keepSecret(app: App, secret: string): Promise<string> {
  const label = signatureTexts.secret.secret;
  const made = await answer(
    api.POST('/api/v1/credentials', {
      body: {
        name: `${signatureTexts.secret.recordName(app.name)} ${Date.now().toString(36)}`,
        type: 'text',
        declared_fields: [{ name: secretField, label, list: true }],
        fields: { [secretField]: [secret] },
      },
    }),
  );
  return made.id;
}

/** The part of a change that links the record of a secret. */
export const linkedTo = (credentialId: string) => ({ credentials: { [declaration]: credentialId } });

/** @returns the App, which now requires this secret */
export const linkSecret = (app: App, credentialId: string, signature?: Signature): Promise<App> =>
  saveApp(app.id, { ...linkedTo(credentialId), ...(signature && { signature }) });
