import { Problem } from '#libs/service-kit';
import { senderById, webhookSenders } from '#libs/webhook-senders';
import type { AppRow } from '../../entities/app.entity.js';
import { type EventReadingSettings, requireReading } from './event-reading.dto.js';

/** What a body of install or change says about who sends. */
interface Chosen {
  sender?: string | null;
  reading?: EventReadingSettings | null;
}

type Settings = Pick<AppRow, 'sender' | 'reading' | 'signature'>;

const secretFields = ['signing_secret', 'signing_secret_next'];

/**
 * A chosen sender fills the check of signatures and the reading in; what the body says itself counts more.
 * @param now the App as it is, or as the body's own signature makes it
 * @param signs whether the body says itself how requests are checked
 * @throws Problem 422 `unknown_sender`, `invalid_reading`, `sender_not_applicable`
 */
export function chosenSender(kind: AppRow['kind'], body: Chosen, now: Settings, signs: boolean): Settings {
  if (kind === 'adapter' && (body.sender ?? body.reading)) {
    const detail =
      "sender and reading are for the built-in Webhook app: an adapter reads its provider's events itself.";
    throw new Problem(422, 'sender_not_applicable', detail);
  }
  const reading = body.reading ? requireReading(body.reading) : body.reading;
  const { sender: id } = body;
  if (id === undefined || id === null) {
    const sender = id === null ? null : now.sender;
    return { ...now, sender, reading: reading === undefined ? (id === null ? null : now.reading) : reading };
  }
  const sender = senderById(id);
  if (!sender) {
    const detail = `There is no sender ${JSON.stringify(id.slice(0, 100))}. Use one of: ${webhookSenders.map((one) => one.id).join(', ')}.`;
    throw new Problem(422, 'unknown_sender', detail);
  }
  return {
    sender: id,
    reading: reading === undefined ? sender.reading : reading,
    signature: signs ? now.signature : { ...sender.verification, secret_fields: secretFields },
  };
}
