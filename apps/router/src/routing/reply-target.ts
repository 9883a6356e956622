import type { NormalizedMessage, ReplyTarget } from '#libs/contracts';

/**
 * Where a message wants its reply; the address may be missing. To be taken from the message as it came: what the provider
 * gave for its own use goes back unchanged.
 */
export function replyTargetOf(appId: string, message: NormalizedMessage): ReplyTarget {
  const named = message.metadata?.['channel_address'];
  return {
    app_id: appId,
    channel_address: typeof named === 'string' && named !== '' ? named : null,
    thread_id: message.thread_id ?? null,
    reply_context: message.metadata?.['reply_context'] ?? null,
  };
}
