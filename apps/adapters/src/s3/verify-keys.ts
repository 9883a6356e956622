import type { VerifyCall, VerifyResult } from '#libs/adapter-sdk';
import { getFromS3, type S3Http } from './s3-request.js';
import { readStore } from './s3-store.js';
import { parseXml, textOf } from './s3-xml.js';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * Lists the buckets. Keys without that permission are still valid, since S3 checks the signature first; which buckets
 * they open shows when a source is read.
 */
export async function verifyKeys({ credentials }: VerifyCall, http: S3Http): Promise<VerifyResult> {
  const store = readStore(credentials);
  if ('problem' in store) return { ok: false, error: 'auth_failed', message: store.problem };
  const user = store.endpoint.host;
  const answer = await getFromS3(store, { maxBytes: MAX_ANSWER_BYTES }, http);
  if (!('error' in answer)) {
    const owner = textOf(parseXml(answer.body.toString('utf8')), 'ID')?.slice(0, 200) || user;
    return { ok: true, user, account: { id: owner, name: user } };
  }
  if (answer.code === 'AccessDenied') {
    const warnings = ['these keys may not list buckets; access is checked when a source is read'];
    return { ok: true, user, account: { id: user, name: user }, warnings };
  }
  const refused = answer.error === 'auth_failed' || answer.error === 'permission_denied';
  return {
    ok: false,
    error: refused ? 'auth_failed' : 'provider_unavailable',
    ...(answer.message !== undefined && { message: answer.message }),
  };
}
