import { ignoredMessage, type NormalizedMessage } from '#libs/adapter-sdk';
import { Remembered } from '../provider-calls/remembered.js';

/** An album's messages come as updates of their own, within this long of each other. */
const QUIET_MS = 700;
/** Telegram's own limit for one album. */
const MAX_MESSAGES = 10;
const KEEP_MS = 900_000;
/** The whole album is stored by then: a process that dies before leaves its parts to be sent again, none is lost. */
const AFTER_WHOLE_MS = 1_000;

interface Album {
  /** In the order of arrival; the first one stands for the album. */
  messages: NormalizedMessage[];
  timer: NodeJS.Timeout | undefined;
  whole: PromiseWithResolvers<NormalizedMessage>;
  isWhole: boolean;
}

const albums = new Remembered<Album>(2_000);

/**
 * The pictures of an album as one message with all of them: the first update gives it, the others are `ignored`. One that
 * comes late, or to another process, is a message of its own.
 */
export async function gathered(parsed: NormalizedMessage): Promise<NormalizedMessage> {
  const { metadata = {}, dedup_key: key } = parsed;
  const { album_id: id, raw_type: type, account, channel_address: chat } = metadata;
  if (typeof id !== 'string' || parsed.is_bot || String(type).startsWith('edited_')) return parsed;
  const name = [account, chat, id].join(':');
  const album = albums.get(name) ?? begun();
  albums.set(name, album, KEEP_MS);
  const known = album.messages.findIndex((message) => message.dedup_key === key);
  if (known < 0 && album.isWhole) return parsed;
  if (known < 0) album.messages.push(parsed);
  if (!album.isWhole) settleSoon(album);
  const whole = await album.whole.promise;
  if (album.messages[0]?.dedup_key === key) return whole;
  await new Promise((resolve) => setTimeout(resolve, AFTER_WHOLE_MS));
  return { ...ignoredMessage('part_of_album', metadata), ...(key !== undefined && { dedup_key: key }) };
}

function begun(): Album {
  return { messages: [], timer: undefined, whole: Promise.withResolvers(), isWhole: false };
}

function settleSoon(album: Album): void {
  clearTimeout(album.timer);
  const settle = (): void => {
    album.isWhole = true;
    album.whole.resolve(joined(album.messages));
  };
  if (album.messages.length >= MAX_MESSAGES) return settle();
  album.timer = setTimeout(settle, QUIET_MS);
}

function joined(messages: readonly NormalizedMessage[]): NormalizedMessage {
  const numberOf = ({ metadata }: NormalizedMessage): number => Number(metadata?.message_id);
  const inOrder = messages.toSorted((a, b) => numberOf(a) - numberOf(b));
  const captioned = inOrder.find(({ message }) => message !== '') ?? inOrder[0];
  const attachments = inOrder.flatMap(({ metadata }) => metadata?.attachments ?? []);
  const texts = inOrder.map(({ message }) => message).filter((text) => text !== '');
  const [first] = messages;
  return {
    ...captioned,
    ...first,
    event_type: captioned?.event_type ?? 'message_received',
    message: texts.join('\n\n'),
    sender: first?.sender ?? 'unknown',
    is_bot: first?.is_bot === true,
    metadata: { ...first?.metadata, ...captioned?.metadata, attachments, album_messages: messages.length },
  };
}
