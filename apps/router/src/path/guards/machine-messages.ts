import type { AutomaticKind, NormalizedMessage } from '#libs/contracts';
import type { MachineKind } from '../../entities/message.entity.js';
import type { ChannelRow } from '../../entities/channel.entity.js';

/**
 * The kind of an automatic message, as its adapter determined it (`metadata`), or null. Such a message is read like any
 * other, but it gets no reply (RFC 3834).
 */
export function automaticKindOf({ metadata = {} }: NormalizedMessage): AutomaticKind | null {
  if (metadata['bounce'] === true) return 'bounce';
  if (metadata['mailing_list'] === true) return 'mailing_list';
  if (metadata['notification'] === true) return 'notification';
  return isAutoSubmitted(metadata['auto_submitted']) ? 'automatic_message' : null;
}

/** Why the Chief of Staff does not get a message: its kind, where the channel keeps that kind to triggers. */
export function keptFromChiefOfStaff(
  message: NormalizedMessage,
  channel: Pick<ChannelRow, 'bots' | 'automatic'> | null,
): MachineKind | null {
  const automatic = automaticKindOf(message);
  if (automatic && channel?.automatic !== 'chief_of_staff') return automatic;
  return isOfBot(message) && channel?.bots !== 'chief_of_staff' ? 'bot' : null;
}

/** From another bot: neither the platform's own message nor one of the four kinds of spec 4.2, which have `is_bot`. */
export function isOfBot({ metadata = {} }: NormalizedMessage): boolean {
  const sender = metadata['sender'];
  if (metadata['from_bot'] === true) return true;
  return typeof sender === 'object' && sender !== null && 'is_bot' in sender && sender.is_bot === true;
}

/** RFC 3834: anything but `no` was sent by a machine. */
function isAutoSubmitted(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' && value.trim() !== '' && !/^no\b/i.test(value.trim());
}
