import { Problem } from '#libs/service-kit';
import { createHash, randomInt } from 'node:crypto';
import type { Queryable } from '#libs/database';
import type { SenderContext } from './sender-context.js';

/** No vowels and no look-alikes: a code is read aloud, and must not spell a word. */
const alphabet = '23456789BCDFGHJKLMNPQRSTVWXZ';
const codeChars = 8;

export function newPairingCode(): string {
  return Array.from({ length: codeChars }, () => alphabet[randomInt(alphabet.length)]).join('');
}

export function pairingHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** The code that a message consists of, or null; ignores case and spaces. */
function codeIn(text: string): string | null {
  const bare = text.toUpperCase().replace(/[\s-]+/g, '');
  return bare.length === codeChars && [...bare].every((letter) => alphabet.includes(letter)) ? bare : null;
}

/**
 * Consumes the codes that unknown senders sent, and makes those senders known.
 * @returns for each message whether it paired its sender
 */
export async function pairSenders(
  tx: Queryable,
  messages: { appId: string; text: string; senderContext: SenderContext | null }[],
): Promise<boolean[]> {
  const paired: boolean[] = [];
  for (const { appId, text, senderContext } of messages) {
    const code = senderContext?.status === 'unknown' ? codeIn(text) : null;
    paired.push(code !== null && senderContext !== null && (await pairSender(tx, appId, code, senderContext)));
  }
  return paired;
}

async function pairSender(tx: Queryable, appId: string, code: string, senderContext: SenderContext): Promise<boolean> {
  const used: unknown = await tx.query(
    `UPDATE router.pairing_code SET used_at = now()
      WHERE app_id = $1 AND code_hash = $2 AND used_at IS NULL AND expires_at > now()`,
    [appId, pairingHash(code)],
  );
  if ((used as [unknown[], number])[1] === 0) return false;
  // The contact's other identities are updated when its status next changes: locking them here could deadlock.
  await tx.query(`UPDATE router.contact SET status = 'known', updated_at = now() WHERE id = $1`, [
    senderContext.contactId,
  ]);
  await tx.query(`UPDATE router.contact_identity SET status = 'known' WHERE app_id = $1 AND sender = $2`, [
    appId,
    senderContext.sender,
  ]);
  senderContext.status = 'known';
  return true;
}

/** @throws Problem 422 for an App whose channel does not pair */
export function requirePairing(policy: string): void {
  if (policy !== 'pair') {
    throw new Problem(
      422,
      'channel_does_not_pair',
      `The channel's unknown_senders is ${policy}: set it to pair first.`,
    );
  }
}
