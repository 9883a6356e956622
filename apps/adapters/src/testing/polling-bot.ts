import type { JsonObject } from '#libs/adapter-sdk';
import { until } from '#libs/testing';
import { createDiscordAdapter } from '../discord/discord.adapter.js';
import { type AdapterHost, hostAdapter } from './adapter-host.js';
import { DiscordGatewayServer } from './discord-gateway-server.js';

export type PolledAnswer = JsonObject & { events: { id: string; body: string }[]; cursor: string };

/** The texts of the messages that an answer brings. */
export const textsOf = ({ events }: PolledAnswer) =>
  events.map(({ body }) => (JSON.parse(body) as { d: JsonObject }).d.content);

/** A bot of Discord whose adapter is asked for what came, as the gateway asks it. */
export class PollingBot {
  adapter!: AdapterHost;
  private readonly others: AdapterHost[] = [];

  private constructor(
    readonly discord: DiscordGatewayServer,
    public credentials: JsonObject,
  ) {}

  static async start(): Promise<PollingBot> {
    const discord = await DiscordGatewayServer.start();
    const bot = new PollingBot(discord, { token: discord.token });
    bot.adapter = await bot.host();
    return bot;
  }

  async close(): Promise<void> {
    await Promise.all(this.others.map((one) => one.close()));
    await this.discord.close();
  }

  /** Another process of the adapter, until the test is over. @param timeoutMs after which it gives a connection up */
  async host(timeoutMs?: number): Promise<AdapterHost> {
    const { url: apiUrl } = this.discord;
    const host = await hostAdapter((http) => createDiscordAdapter({ ...http, apiUrl, beginEveryMs: 250 }), timeoutMs);
    this.others.push(host);
    return host;
  }

  /** Replaces the adapter by one that gives up a connection that hangs after so long. */
  async hostImpatiently(timeoutMs = 1_000): Promise<void> {
    await this.adapter.close();
    this.adapter = await this.host(timeoutMs);
  }

  async poll(more: JsonObject = {}, by = this.adapter): Promise<PolledAnswer> {
    return (await by.call('poll', { credentials: this.credentials, wait_seconds: 20, ...more })) as PolledAnswer;
  }

  /** What Discord was sent, of one opcode. */
  opsOf(op: number) {
    return this.discord.received.filter((payload) => payload.op === op);
  }

  /** Discord ends the session, and the adapter begins another one. */
  async endSession(cursor: string): Promise<void> {
    this.discord.forget();
    this.discord.cut();
    await until('another one is begun', async () => {
      await this.poll({ cursor, wait_seconds: 0 });
      return this.discord.started === 2;
    });
  }
}
