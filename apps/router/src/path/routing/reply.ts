import type { ReplyTarget, ReplyWithheld } from '#libs/contracts';
import { type ChannelRow, defaultLimitNotice } from '../../entities/rules.entity.js';
import { automaticKindOf } from '../guards/loop-breaker.js';
import type { Draft } from './draft.js';

/** What the sender of a failed turn is told unless the channel has a notice of its own. */
export const defaultFailureNotice = 'Sorry, your message could not be answered. It is stored, and our team can see it.';

/** @returns what senders of the App are told when a turn fails; null: nothing */
export function failureNoticeOf(channel: Pick<ChannelRow, 'failure_notice'> | null): string | null {
  return channel ? channel.failure_notice : defaultFailureNotice;
}

/** @returns what senders of the App are told of a limit; null: nothing */
export function limitWordsOf(channel: Pick<ChannelRow, 'limit_notice'> | null): string | null {
  return channel ? channel.limit_notice : defaultLimitNotice;
}

/** Where a message is answered, or why it is not. */
export type Reply = { target: ReplyTarget } | { withheld: ReplyWithheld };

/** For people: what a withheld reply means, and what to do. */
export const withheldAdvice: Record<ReplyWithheld, string> = {
  no_address:
    "The message gives no reply address. Set reply_address of the App's channel. The turn keeps the text of the reply.",
  app_cannot_send:
    'The App cannot send: it has no send capability. To answer, install an App that has it. The turn keeps the text of the reply.',
  automatic_message:
    'A machine sent the message (auto_submitted). It is read but not answered, to prevent a loop between two machines.',
  bounce: 'The message reports a failed delivery. It is read but not answered.',
  mailing_list: 'The message came over a mailing list. It is read, but the list is not answered.',
  notification: 'The message is a notification. It is read, but there is nobody to answer.',
  delivery_off: 'The replay was requested without delivery. To send the reply, replay with deliver set to true.',
};

/** The reply of a message by its channel's rules; pure. */
export function replyOf(draft: Draft, channel: Pick<ChannelRow, 'reply_address' | 'reply_ttl_seconds'> | null): Reply {
  if (!draft.deliver) return { withheld: 'delivery_off' };
  const automatic = automaticKindOf(draft.message);
  if (automatic) return { withheld: automatic };
  if (!draft.appSends) return { withheld: 'app_cannot_send' };
  const channels = channel?.reply_address ?? null;
  const own = addressOf(draft);
  const address = channels !== null && own.yields ? channels : own.address;
  if (address === null) return { withheld: 'no_address' };
  const ttl = channel?.reply_ttl_seconds ?? null;
  return {
    target: {
      ...draft.reply,
      channel_address: address,
      ...(channels !== null && own.yields ? { by_channel: true } : {}),
      ...(ttl === null ? {} : { ttl_seconds: ttl }),
    },
  };
}

/**
 * The address that a message itself gives, and whether the channel's goes before it: the adapter's own address, then the
 * channel's, then the sender (spec 2.5 has no other address). For the built-in Webhook app, neither payload nor sender
 * is an address: any caller could have signed replies sent anywhere.
 */
function addressOf({ app_kind, reply, sender }: Draft): { address: string | null; yields: boolean } {
  if (app_kind === 'builtin') return { address: null, yields: true };
  if (reply.channel_address !== null) return { address: reply.channel_address, yields: false };
  return { address: sender, yields: true };
}
