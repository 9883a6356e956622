import { type AdapterDefinition, defineAdapter, PreparedScheme, verifyScheme, dialectFormat } from '#libs/adapter-sdk';
import type { ProviderHttp } from '../provider-calls/call-provider.js';
import { deliverMessage } from './deliver-message.js';
import { callDiscord, DISCORD_API_URL, type DiscordSettings } from './discord-api.js';
import { DISCORD_MAX_LENGTH, discordManifest } from './discord.manifest.js';
import { discordDialect } from './discord-dialect.js';
import { parseDiscordInbound } from './parse-inbound.js';
import { verifyApplication } from './verify-application.js';

const scheme = new PreparedScheme({
  scheme: 'ed25519',
  header: 'x-signature-ed25519',
  timestamp_header: 'x-signature-timestamp',
  signed_text: '{timestamp}{body}',
  secret_fields: ['public_key'],
});

/** A Discord app over its interactions: messages without a command come by the Gateway only, which is no webhook. */
export function createDiscordAdapter(http: ProviderHttp & Partial<DiscordSettings>): AdapterDefinition {
  const settings = { apiUrl: DISCORD_API_URL, ...http };
  return defineAdapter({
    manifest: discordManifest,
    verify: (call) => verifyApplication(call, settings),
    verifyWebhook: (call) => verifyScheme(scheme, call, 'discord-ed25519'),
    parseInbound: parseDiscordInbound,
    deliver: (call) => deliverMessage(call, settings),
    indicate: async ({ credentials, channel_address: channel, state }) => {
      if (state === 'done' || !/^\d{5,20}$/.test(channel)) return { ok: true };
      // Shown for ten seconds, or until a message comes.
      const answer = await callDiscord(`/channels/${channel}/typing`, { method: 'POST' }, credentials, settings);
      return answer.ok ? { ok: true } : answer;
    },
    format: (request) => dialectFormat(request, discordDialect, DISCORD_MAX_LENGTH),
  });
}
