import type { NormalizedMessage, ReplyTarget } from '#libs/contracts';

const addressField = 'channel_address';

/**
 * Where a message wants its reply; the address may be missing. Takes the message unsanitised: what the provider gave
 * for its own use goes back unchanged.
 */
export function replyTargetOf(appId: string, { metadata = {}, thread_id, origin }: NormalizedMessage): ReplyTarget {
  return {
    app_id: appId,
    channel_address: textOf(metadata[addressField]),
    thread_id: thread_id ?? null,
    reply_context: metadata['reply_context'] ?? null,
    ...(origin ? { hops: origin.hops } : {}),
  };
}

/**
 * The sender as an address, unsanitised; null when the adapter says, by a null address, that nobody can be answered.
 */
export function senderAddressOf({ sender, metadata }: NormalizedMessage): string | null {
  return metadata?.[addressField] === null ? null : textOf(sender);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
