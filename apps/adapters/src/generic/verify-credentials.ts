import { secretList, type VerifyCall, type VerifyResult } from '#libs/adapter-sdk';
import { readMapping } from './field-mapping.js';
import { isHeaderSafe } from '../provider-calls/header-safety.js';

/** Checks that the credentials are well-formed: there is no provider to ask. */
export function verifyCredentials({ credentials }: VerifyCall): VerifyResult {
  const { signing_secret, token, mapping } = credentials;
  if (!isAbsent(signing_secret) && !isSecret(signing_secret)) {
    return refuse('signing_secret must be text, or a list of texts during a rotation');
  }
  if (!isAbsent(token) && (typeof token !== 'string' || !isHeaderSafe(token))) {
    return refuse('token must be text of visible ASCII characters');
  }
  const read = readMapping(mapping);
  if ('problem' in read) return refuse(read.problem);
  return {
    ok: true,
    user: 'generic',
    account: { id: 'generic', name: 'Generic HTTP' },
    ...(isAbsent(signing_secret) && { warnings: ['signing_secret is not set: every incoming webhook is refused'] }),
  };
}

function refuse(message: string): VerifyResult {
  return { ok: false, error: message };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function isSecret(value: unknown): boolean {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries.length > 0 && secretList(value).length === entries.length;
}
