import type { AdapterDefinition, JsonObject } from '#libs/adapter-sdk';
import { createGithubAdapter } from '../github/github.adapter.js';
import type { SocketHttp } from '../held-sockets/held-sessions.js';
import { createDiscordAdapter } from '../discord/discord.adapter.js';
import { createSlackAdapter } from '../slack/slack.adapter.js';
import { createTelegramAdapter } from '../telegram/telegram.adapter.js';
import { createTeamsAdapter } from '../teams/teams.adapter.js';
import { createWhatsappAdapter } from '../whatsapp/whatsapp.adapter.js';
import { hostAdapter, type AdapterHost } from './adapter-host.js';
import { type InboundRule, rulesOf, webhookOf } from './inbound-rules.js';
import { startProviderServer, type ProviderServer, type Reply, type SeenRequest } from './provider-server.js';

const adapters: Record<string, (http: SocketHttp & { apiUrl: string }) => AdapterDefinition> = {
  slack: createSlackAdapter,
  telegram: createTelegramAdapter,
  github: createGithubAdapter,
  discord: createDiscordAdapter,
  teams: (http) => createTeamsAdapter({ ...http, loginUrl: http.apiUrl, jwksUrl: http.apiUrl }),
  whatsapp: createWhatsappAdapter,
};

describe.each(Object.entries(adapters))('nothing is lost of what %s sends', (folder, create) => {
  let provider: ProviderServer;
  let adapter: AdapterHost;
  beforeAll(async () => {
    provider = await startProviderServer();
    adapter = await hostAdapter((http) => create({ ...http, apiUrl: provider.url }));
  });
  afterAll(async () => {
    await adapter.close();
    await provider.close();
  });

  it.each(rulesOf(folder).map((rule) => [rule.rule, rule] as const))('%s', async (_title, rule) => {
    const answers = (rule.provider ?? []).map((entry) => ({
      ...entry,
      times: entry.times ?? Number.POSITIVE_INFINITY,
    }));
    provider.answer = (request): Reply => {
      const fitting = answers.find((entry) => entry.times > 0 && fits(entry, request));
      if (!fitting) return { status: 404, body: { ok: false, message: 'Not Found' } };
      fitting.times -= 1;
      const headers = Object.entries(fitting.headers ?? {}).map(([name, value]) => [
        name,
        value.replace('{{provider}}', provider.url),
      ]);
      return { ...fitting, headers: Object.fromEntries(headers) as Record<string, string> };
    };
    provider.seen.length = 0;
    expect(await call(rule)).toMatchObject(rule.expect);
    expect(provider.seen.map(({ url }) => url)).toEqual(expect.arrayContaining(rule.calls ?? []));
  });

  function call(rule: InboundRule): Promise<JsonObject> {
    const { route = 'parse-inbound', credentials = {}, self, body } = rule;
    return adapter.call(route, body ? { credentials, ...body } : { credentials, self, request: webhookOf(rule) });
  }
});

function fits({ path, when = {} }: { path: string; when?: JsonObject }, { url, fields }: SeenRequest): boolean {
  return url.split('?')[0] === path && Object.entries(when).every(([name, value]) => fields[name] === value);
}
