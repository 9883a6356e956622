import { columnsOf, deliverySend, type DeliverySendPayload, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, until } from '#libs/testing';
import { type GatewayWorld } from './gateway-world.js';

/** Fields of a message that have a default. */
interface Message {
  text?: string;
  address?: string;
  /** The address is the channel's setting. */
  byChannel?: true;
  thread?: string | null;
  format?: 'native';
  ttl?: number;
}

/** A delivery's job as the engine enqueues it. @param app its id */
export function deliveryOf(app: string, message: Message = {}): DeliverySendPayload {
  const { text = 'hello', address = 'room', byChannel, thread = null, format, ttl } = message;
  const target = {
    app_id: app,
    channel_address: address,
    ...(byChannel && { by_channel: byChannel }),
    thread_id: thread,
    reply_context: null,
  };
  return {
    delivery_id: newId('dlv'),
    ...columnsOf(home),
    receipt_id: newId('evt'),
    turn_id: null,
    content: {
      text,
      ...(format ? { format } : {}),
      target: ttl === undefined ? target : { ...target, ttl_seconds: ttl },
    },
  };
}

/** Enqueues deliveries for the gateways of a world, and reads their outcomes. */
export class Deliveries {
  constructor(private readonly world: GatewayWorld) {}

  /** @returns the id of the delivery */
  async send(app: string, message?: Message): Promise<string> {
    const delivery = deliveryOf(app, message);
    await this.world.jobs.enqueue(deliverySend, delivery);
    return delivery.delivery_id;
  }

  async read(id: string) {
    return (await this.world.call('GET', `deliveries/${id}`)).body;
  }

  /** Waits until the delivery is in one of these states. */
  inState(id: string, ...states: string[]) {
    return until(`the delivery is ${states.join(' or ')}`, async () => {
      const row = await this.read(id);
      return states.includes(row.state) ? row : null;
    });
  }

  /** @returns outcome and reason of each journal entry, in order */
  async journalOf(id: string): Promise<string[]> {
    const { rows } = await this.world.pool.query(
      `SELECT outcome, reason FROM ${everyEntry} e WHERE subject_id = $1 ORDER BY at`,
      [id],
    );
    return rows.map(({ outcome, reason }) => [outcome, reason].filter(Boolean).join(' '));
  }
}
