import { until } from '#libs/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ContactErasure } from '../manage/erasures/erasure.entity.js';
import { RoutingService } from '../path/routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from './router-world.js';

/** What a service was asked to erase. */
interface Asked {
  service: string;
  receipt_ids?: string[];
  own_receipt_ids?: string[];
  message_ids?: string[];
  delivery_ids?: string[];
  contact_ids?: string[];
  identities?: { sender: string }[];
}

interface Answer {
  status?: number;
  open?: number;
  turn_ids?: string[];
  delivery_ids?: string[];
}

/** A router, and the other services that it asks to erase what they have. The second pass waits until a test hastens it. */
export class ErasureWorld {
  readonly asked: Asked[] = [];
  /** What a service answers instead, by its name. */
  answers: Record<string, Answer> = {};

  private constructor(
    readonly world: RouterWorld,
    private readonly services = createServer(),
  ) {}

  static async start(): Promise<ErasureWorld> {
    const started = new ErasureWorld(await routerWorld());
    await started.listen();
    return started;
  }

  private async listen(): Promise<void> {
    this.services.on('request', (request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const [, service = '', path = ''] = /^\/(\w+)\/internal\/(.*)$/.exec(request.url ?? '') ?? [];
        const { status = 200, open = 0, ...more } = path === 'erasures' ? (this.answers[service] ?? {}) : {};
        if (path === 'erasures' && status === 200) this.asked.push({ service, ...JSON.parse(body) });
        const answer = status === 200 ? { erased: { rows: 1 }, open, ...more } : { code: 'away', detail: 'away' };
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => this.services.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(this.services.address() as AddressInfo).port}`;
    const settings = { ERASURE_SWEEP_MS: 50, ERASURE_SETTLE_MS: 600_000 };
    const at = { ENGINE_URL: `${url}/engine`, GATEWAY_URL: `${url}/gateway`, INGRESS_URL: `${url}/ingress` };
    await this.world.start({ ...settings, ...at });
  }

  forget(): void {
    this.asked.length = 0;
    this.answers = {};
  }

  async close(): Promise<void> {
    await this.world.close();
    this.services.close();
    this.services.closeAllConnections();
  }

  async route(job: ReturnType<typeof jobOf>): Promise<void> {
    await this.world.app.get(RoutingService, { strict: false }).route(job, 1);
  }

  async receive(appId: string, sender: string): Promise<{ receipt: string; contact: string }> {
    const job = jobOf(appId, { sender, message: `secret of ${sender}`, metadata: { sender: { id: sender } } });
    await this.route(job);
    const { contact_id: contact } = await this.world.row<{ contact_id: string }>(
      'SELECT contact_id FROM router.message WHERE receipt_id = $1',
      [job.receipt_id],
    );
    return { receipt: job.receipt_id, contact };
  }

  erase(contact: string, caller: object = {}) {
    return this.world.call<ContactErasure>('DELETE', `contacts/${contact}/data`, undefined, caller);
  }

  when(contact: string, what: string, is: (row: ContactErasure) => boolean): Promise<ContactErasure> {
    return until(what, async () => {
      const { body } = await this.world.call<ContactErasure>('GET', `contacts/${contact}/erasure`);
      return is(body) ? body : null;
    });
  }

  /** Makes it due now, whatever it waits for. */
  async hasten(contact: string): Promise<void> {
    await this.world.query(
      `UPDATE router.contact_erasure SET due_at = now() WHERE contact_id = $1 AND state = 'queued'`,
      [contact],
    );
  }

  firstPass(contact: string): Promise<ContactErasure> {
    return this.when(contact, 'the first pass is over', ({ pass }) => pass === 2);
  }

  /** Its end, without the pause between its passes. */
  async ended(contact: string): Promise<ContactErasure> {
    await this.firstPass(contact);
    await this.hasten(contact);
    return this.when(contact, 'it has ended', ({ state }) => state === 'done');
  }

  async messagesOf(appId: string) {
    const messages = await this.world.messages('WHERE app_id = $1 ORDER BY id', [appId]);
    return messages.map(({ id, contact_id: contact, message: { sender, message: text, metadata } }) => ({
      id,
      contact: contact ?? '',
      sender,
      text,
      metadata,
    }));
  }
}
