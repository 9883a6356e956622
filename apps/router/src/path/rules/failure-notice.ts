import type { ChannelRow } from '../../entities/channel.entity.js';

/** What the sender of a failed turn is told unless the channel has a notice of its own. */
export const defaultFailureNotice = 'Sorry, your message could not be answered. It is stored, and our team can see it.';

/** @returns what senders of the App are told when a turn fails; null: nothing */
export function failureNoticeOf(channel: Pick<ChannelRow, 'failure_notice'> | null): string | null {
  return channel ? channel.failure_notice : defaultFailureNotice;
}
