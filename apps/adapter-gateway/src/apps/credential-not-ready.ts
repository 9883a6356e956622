import { RunLater } from '#libs/queue';

/** A required credential of the App is not linked to a record. */
export const notLinkedCode = 'credentials_missing';

/** Refusals of the vault that end when a person connects, restores or links a credential. Others are failures. */
export const credentialWaitCodes: readonly string[] = [
  notLinkedCode,
  'not_connected',
  'needs_reconnect',
  'revoked',
  'credential_undecryptable',
  'credential_not_found',
];

export function waitsForCredential(code: string | null): boolean {
  return code !== null && credentialWaitCodes.includes(code);
}

/** Work of an App whose credential is missing, or must be connected: nothing is called until a person has done that. */
export class CredentialNotReady extends RunLater {
  constructor(code: string, detail: string, delayMs: number) {
    super(delayMs, code);
    this.message = `${detail.replace(/\.$/, '')}: work continues when that is done`;
  }
}
