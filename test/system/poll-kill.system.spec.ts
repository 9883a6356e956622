import { until } from '#libs/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { startSystem, type System } from './system.js';
import { startTelegram, type TelegramStandIn } from './telegram-stand-in.js';

/** Short enough that what a killed process held is taken over soon. */
const soon = {
  RECEIPT_LEASE_MS: '2000',
  SWEEP_EVERY_MS: '1000',
  SWEEP_AFTER_MS: '2000',
  CONNECTION_LEASE_MS: '3000',
  CONNECTION_SWEEP_MS: '200',
  CONNECTION_WAIT_S: '2',
};
const perSecond = 40;

describe('a bot that is asked for its updates, while services are killed', () => {
  let system: System;
  let telegram: TelegramStandIn;
  let app: string;

  beforeAll(async () => {
    telegram = await startTelegram();
    system = await startSystem({ ...soon, GATEHOUSE_TELEGRAM_API_URL: telegram.url }, { linked: false });
    const record = { name: 'bot', type: 'api_key', fields: { token: telegram.token } };
    const credential = (await system.api<{ id: string }>('POST', '/api/v1/credentials', record)).id;
    const installed = { credentials: { TELEGRAM_BOT_TOKEN: credential } };
    app = (await system.api<{ id: string }>('POST', '/api/v1/listings/telegram/install', installed)).id;
    await system.api('PUT', `/api/v1/channels/${app}`, { unknown_senders: 'hold' });
    await system.api('PUT', `/api/v1/apps/${app}/connection`);
  });
  afterAll(async () => {
    await system?.stop();
    await telegram.close();
  });

  /** The texts of all events of the App, by event. */
  const heard = async (): Promise<string[]> => {
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

  it('loses no update and doubles none', async () => {
    await until('it is connected', async () => {
      const { state } = await system.api<{ state: string }>('GET', `/api/v1/apps/${app}/connection`);
      return state === 'connected';
    });
    const killAll = async (): Promise<void> => {
      for (const service of ['adapter-gateway', 'webhook-ingress', 'adapters', 'adapter-gateway']) {
        await system.kill(service);
        await system.restart(service);
      }
    };
    let killing = true;
    const killed = killAll().finally(() => (killing = false));
    const written: string[] = [];
    while (killing) {
      written.push(`update ${written.length}`);
      telegram.write(written.at(-1) ?? '');
      await pause(1_000 / perSecond);
    }
    await killed;
    await until('all are there', async () => (await system.outcomesOf(app)).size >= written.length);
    await until('all have ended', async () =>
      [...(await system.outcomesOf(app)).values()].every((outcome) => outcome !== null),
    );
    expect((await heard()).sort()).toEqual([...written].sort());
    const held = await system.api<{ gap: object | null; reconnects: number }>('GET', `/api/v1/apps/${app}/connection`);
    expect(held.gap).toBe(null);
    expect(held.reconnects).toBeGreaterThan(0);
    process.stderr.write(`${written.length} updates, ${held.reconnects} reconnects: 0 lost, 0 doubled\n`);
  });
});
