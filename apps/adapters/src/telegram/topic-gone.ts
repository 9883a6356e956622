import type { DeliverFailure, SentPart } from '#libs/adapter-sdk';

const GONE = /message thread not found|topic_deleted/i;

/** Sends to the topic; where that is gone, to its chat: the answer matters more than its place. */
export async function orToChat(
  topic: string | undefined,
  send: (topic: string | undefined) => Promise<SentPart | DeliverFailure>,
): Promise<SentPart | DeliverFailure> {
  const sent = await send(topic);
  if (topic === undefined || !('ok' in sent) || !GONE.test(sent.error_detail?.provider_code ?? '')) return sent;
  const inChat = await send(undefined);
  return 'ok' in inChat ? inChat : { ...inChat, fallback: inChat.fallback ?? 'no_topic' };
}
