import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import { type ContractApp, type ContractWorld, startContractWorld } from '../contract-world.js';
import { type Courier, courierEvent, openCourier } from './courier.js';
import { type CourierProcess, startCourierProcess } from './courier-process.js';

/** What an App of Courier has, and a neighbour: another App, of another adapter, in another process. */
export interface CourierWorld {
  system: ContractWorld;
  courier: Courier;
  adapter: CourierProcess;
  /** The adapter's id. */
  id: string;
  app: ContractApp;
  /** Ids of the App's credentials. */
  token: string;
  signing: string;
  /** The secret that the installation signs its calls with. */
  secret: string;
  /** Sends a message of somebody who has not written before, signed. @returns the event's id */
  write(event?: object): Promise<string>;
  event(id: string): Promise<Schema<'EventDetailView'>>;
  deliveries(eventId: string): Promise<Schema<'DeliveryView'>[]>;
  verify(): Promise<Schema<'VerifiedAppView'>>;
  page(): Promise<Schema<'AdapterView'>>;
  /** A message to the neighbour is answered: whatever happens to Courier, it takes no part in it. */
  neighbourGoesOn(): Promise<void>;
  close(): Promise<void>;
}

export const signingSecret = 'what-courier-signs-its-events-with';

export async function startCourierWorld(settings: Record<string, string>): Promise<CourierWorld> {
  const [system, courier] = await Promise.all([startContractWorld(settings), openCourier()]);
  courier.accounts.set('a-token-of-courier', { id: 'u-agent', name: 'Agent' });
  const kept = readFileSync(join(system.dataDir, 'secrets.json'), 'utf8');
  const { adapter_secret: secret } = JSON.parse(kept) as { adapter_secret: string };
  const adapter = await startCourierProcess({
    COURIER_API_URL: courier.url,
    GATEHOUSE_ADAPTER_SECRET: secret,
    BUILD: 'first',
  });
  const { id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
  const made = { name: 'Courier token', type: 'api_key', fields: { token: 'a-token-of-courier' } };
  const { id: token } = await system.api<{ id: string }>('POST', '/api/v1/credentials', made);
  const signing = await system.credential({ signing_secret: signingSecret });
  const credentials = { COURIER_TOKEN: token, COURIER_SIGNING: signing };
  const app = await system.api<ContractApp>('POST', '/api/v1/listings/courier/install', { credentials });
  await system.api('PATCH', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
  const neighbour: ContractAdapter = await system.adapters.mount('neighbour', { credentials: [] });
  const other = await system.install(neighbour);
  let written = 0;
  const view = async <T>(path: string): Promise<T> => (await system.ask<T>('GET', path)).body;
  return {
    system,
    courier,
    adapter,
    id,
    app,
    token,
    signing,
    secret,
    write: async (event = {}) => {
      const id = `m-${(written += 1)}`;
      const message = {
        kind: 'message',
        id,
        room: 'r-1',
        // Someone else each time: who repeats a text, and is answered each time, is paused as a machine.
        author: { id: `u-${id}`, name: 'Jane' },
        text: 'Is it done?',
        ...event,
      };
      const answer = await courierEvent(app.webhook_url ?? '', message, signingSecret);
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { id: string }).id;
    },
    event: (event) => view(`events/${event}`),
    deliveries: async (event) => (await view<Schema<'DeliveryPage'>>(`deliveries?event_id=${event}`)).data,
    verify: async () => (await system.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`)).body,
    page: () => view(`adapters/${id}`),
    neighbourGoesOn: async () => {
      const text = `neighbour ${(written += 1)}`;
      const sent = await system.send(other, {
        from: `next-door-${written}`,
        text,
        about: { channel_address: 'next-door' },
      });
      expect(sent.status).toBe(200);
      await system.reached(sent.id, 'delivery', 'delivered');
      await until('the neighbour was answered', async () =>
        (await neighbour.calls('deliver')).some(({ body }) => body.message?.text.includes(text)),
      );
    },
    close: async () => {
      await system.close();
      await adapter.close();
      await courier.close();
    },
  };
}
