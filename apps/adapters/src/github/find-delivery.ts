import { ProviderUnavailable, type LookupCall, type LookupResult } from '#libs/adapter-sdk';
import { textOf } from '../provider-calls/json-fields.js';
import type { GithubSettings } from './api/github-api.js';
import { isLastOf } from './delivery-mark.js';
import { placeOf } from './places/place-of.js';

/**
 * Whether a delivery arrived: looks for the mark of its last part in recent comments, in the conversation or on a line.
 * @throws ProviderUnavailable when GitHub cannot be asked: "not found" would send it again
 */
export async function findDelivery(
  { channel_address, credentials, idempotency_key }: LookupCall,
  settings: GithubSettings,
): Promise<LookupResult> {
  const place = placeOf(channel_address, undefined, { credentials, settings });
  if (place === undefined || place === 'other_thread') return { found: false };
  for (const list of place.recent) {
    const answer = await list();
    // An issue has no line comments: GitHub answers 404.
    if (!answer.ok && answer.error === 'not_found') continue;
    if (!answer.ok) {
      throw new ProviderUnavailable(
        `GitHub did not list the comments: ${answer.error}`,
        answer.error_detail?.retry_after,
      );
    }
    const found = answer.comments.find(({ body }) => isLastOf(textOf(body) ?? '', idempotency_key));
    const id = textOf(found?.node_id) ?? textOf(found?.id);
    if (id !== undefined) return { found: true, message_id: id };
  }
  return { found: false };
}
