import type { NormalizedMessage } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import { isShallow } from '#libs/service-kit';

/**
 * Rejects what is nested deeper than its readers can walk, on the first attempt and with a code of its own: every later
 * service walks a message, and so does Postgres.
 * @param maxDepth levels of the metadata, or of the built-in Webhook app's payload
 * @throws PermanentFailure `contract_violation` for an adapter's answer, `too_deep` for the built-in app's body
 */
export function requireDepth(messages: NormalizedMessage[], kind: 'builtin' | 'adapter', maxDepth: number): void {
  for (const { metadata } of messages) {
    // The payload of the built-in app is one level down in the metadata.
    if (isShallow(metadata, kind === 'builtin' ? maxDepth + 1 : maxDepth)) continue;
    if (kind === 'adapter') {
      throw new PermanentFailure(
        'contract_violation',
        `/parse-inbound: metadata is nested more than ${maxDepth} levels deep`,
      );
    }
    throw new PermanentFailure('too_deep', `the body is nested more than ${maxDepth} levels deep`);
  }
}
