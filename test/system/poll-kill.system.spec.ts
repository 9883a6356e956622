import { until } from '#libs/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { DiscordGatewayServer } from '../../apps/adapters/src/testing/discord-gateway-server.js';
import { SlackSocketServer } from '../../apps/adapters/src/testing/slack-socket-server.js';
import { startSystem, type System } from './system.js';
import { startFakeTelegram, type FakeTelegram } from './fake-telegram.js';

/** Short enough that what a killed process held is taken over soon. */
const soon = {
  RECEIPT_LEASE_MS: '2000',
  SWEEP_EVERY_MS: '1000',
  SWEEP_AFTER_MS: '2000',
  CONNECTION_LEASE_MS: '3000',
  CONNECTION_SWEEP_MS: '200',
  CONNECTION_WAIT_S: '2',
};
const perSecond = 20;

/** Each brings its events in its own way: by questions, or over a socket. */
interface Provider {
  listing: string;
  /** By the key that its manifest declares. */
  credentials: Record<string, Record<string, string>>;
  write(text: string): unknown;
}

describe('Apps that are asked for their events, while services are killed', () => {
  let system: System;
  let telegram: FakeTelegram;
  let slack: SlackSocketServer;
  let discord: DiscordGatewayServer;
  const apps: { id: string; provider: Provider; written: string[] }[] = [];

  beforeAll(async () => {
    [telegram, slack, discord] = await Promise.all([
      startFakeTelegram(),
      SlackSocketServer.start(1_000),
      DiscordGatewayServer.start(),
    ]);
    const urls = {
      GATEHOUSE_TELEGRAM_API_URL: telegram.url,
      GATEHOUSE_SLACK_API_URL: slack.url,
      GATEHOUSE_DISCORD_API_URL: discord.url,
    };
    system = await startSystem({ ...soon, ...urls }, { linked: false });
    const providers: Provider[] = [
      {
        listing: 'telegram',
        credentials: { TELEGRAM_BOT_TOKEN: { token: telegram.token } },
        write: telegram.write,
      },
      {
        listing: 'slack',
        credentials: { SLACK_BOT_TOKEN: { token: 'xoxb-1' }, SLACK_APP_TOKEN: { app_token: 'xapp-1' } },
        write: (text) => slack.write(text),
      },
      {
        listing: 'discord',
        credentials: { DISCORD_BOT_TOKEN: { token: discord.token } },
        write: (text) => discord.write(text),
      },
    ];
    for (const provider of providers) {
      const credentials: Record<string, string> = {};
      for (const [key, fields] of Object.entries(provider.credentials)) {
        const record = { name: key, type: 'token' in fields ? 'api_key' : 'text', fields };
        credentials[key] = (await system.api<{ id: string }>('POST', '/api/v1/credentials', record)).id;
      }
      const path = `/api/v1/listings/${provider.listing}/install`;
      const { id } = await system.api<{ id: string }>('POST', path, { credentials });
      await system.api('PUT', `/api/v1/channels/${id}`, { unknown_senders: 'hold' });
      await system.api('PUT', `/api/v1/apps/${id}/connection`);
      apps.push({ id, provider, written: [] });
    }
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([telegram.close(), slack.close(), discord.close()]);
  });

  /** The texts of all events of the App, by event. */
  const heard = async (app: string): Promise<string[]> => {
    const texts: string[] = [];
    for (const id of (await system.outcomesOf(app)).keys()) {
      const { messages } = await system.api<{ messages: { message: { message: string } }[] }>(
        'GET',
        `/api/v1/events/${id}`,
      );
      texts.push(...messages.map(({ message }) => message.message));
    }
    return texts;
  };
  const connection = (app: string) =>
    system.api<{ state: string; gap: object | null; reconnects: number }>('GET', `/api/v1/apps/${app}/connection`);

  it('lose no event and double none', async () => {
    await until('all are connected', async () => {
      const states = await Promise.all(apps.map(async ({ id }) => (await connection(id)).state));
      return states.every((state) => state === 'connected');
    });
    const killAll = async (): Promise<void> => {
      for (const service of ['adapter-gateway', 'webhook-ingress', 'adapters', 'adapter-gateway']) {
        await system.kill(service);
        await system.restart(service);
      }
    };
    let killing = true;
    const killed = killAll().finally(() => (killing = false));
    while (killing) {
      for (const { provider, written } of apps) {
        written.push(`event ${written.length}`);
        provider.write(written.at(-1) ?? '');
      }
      await pause(1_000 / perSecond);
    }
    await killed;
    for (const { id, provider, written } of apps) {
      await until('all are there', async () => (await system.outcomesOf(id)).size >= written.length);
      await until('all have ended', async () =>
        [...(await system.outcomesOf(id)).values()].every((outcome) => outcome !== null),
      );
      expect((await heard(id)).sort()).toEqual([...written].sort());
      const held = await connection(id);
      expect(held.gap).toBe(null);
      expect(held.reconnects).toBeGreaterThan(0);
      const count = `${written.length} events, ${held.reconnects} reconnects`;
      process.stderr.write(`${provider.listing}: ${count}: 0 lost, 0 doubled\n`);
    }
  });
});
