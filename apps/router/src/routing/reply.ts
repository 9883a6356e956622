import type { ReplyTarget, ReplyWithheld } from '#libs/contracts';
import type { ChannelRow } from '../channels/channel.entity.js';
import { automaticKindOf } from '../guards/machine-messages.js';
import type { Draft } from './draft.js';

/** Where a message is answered, or why it is not. */
export type Reply = { target: ReplyTarget } | { withheld: ReplyWithheld };

/** For people: what a withheld reply means, and what to do. */
export const withheldAdvice: Record<ReplyWithheld, string> = {
  no_address:
    "Nothing says where the reply goes. Set the reply address (reply_address) of the App's channel; the text stands in the turn.",
  app_cannot_send: 'The App has no send capability: install one that sends to answer. The text stands in the turn.',
  automatic_message:
    'A machine sent the message (auto_submitted): it is read and not answered, or two machines would go on.',
  bounce: 'The message reports a failed delivery: it is read and not answered.',
  mailing_list: 'The message came over a mailing list: it is read, and the list is not answered.',
  notification: 'The message is a notification: it is read, and there is nobody to answer.',
  delivery_off: 'The replay was asked for without delivery. Replay with deliver true to send its reply.',
};

/** The reply of a message by its channel's rules; pure. */
export function replyOf(draft: Draft, channel: Pick<ChannelRow, 'reply_address'> | null): Reply {
  if (!draft.deliver) return { withheld: 'delivery_off' };
  const automatic = automaticKindOf(draft.message);
  if (automatic) return { withheld: automatic };
  if (!draft.appSends) return { withheld: 'app_cannot_send' };
  const address = addressOf(draft, channel?.reply_address ?? null);
  return address === null ? { withheld: 'no_address' } : { target: { ...draft.reply, channel_address: address } };
}

/**
 * The adapter's own address, then the channel's, then the sender (spec 2.5 has no other address). For the built-in
 * Webhook app, neither payload nor sender is an address: any caller could have signed replies sent anywhere.
 */
function addressOf({ app_kind, reply, sender }: Draft, channels: string | null): string | null {
  if (app_kind === 'builtin') return channels;
  if (reply.channel_address !== null) return reply.channel_address;
  return channels ?? sender;
}
