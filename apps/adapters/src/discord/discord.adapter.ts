import { type AdapterDefinition, defineAdapter, PreparedScheme, verifyScheme, dialectFormat } from '#libs/adapter-sdk';
import { HeldSessions, type SocketHttp } from '../held-sockets/held-sessions.js';
import { deliverMessage } from './deliver-message.js';
import { callDiscord, DISCORD_API_URL } from './discord-api.js';
import { DISCORD_MAX_LENGTH, discordManifest } from './discord.manifest.js';
import { discordDialect } from './discord-dialect.js';
import { DISCORD_FILES_URL, fetchFile } from './fetch-file.js';
import type { GatewayShards } from './gateway-shards.js';
import { parseDiscordInbound } from './parse-inbound.js';
import { pollGateway } from './poll-gateway.js';
import { verifyApplication } from './verify-application.js';

const scheme = new PreparedScheme({
  scheme: 'ed25519',
  header: 'x-signature-ed25519',
  timestamp_header: 'x-signature-timestamp',
  signed_text: '{timestamp}{body}',
  secret_fields: ['public_key'],
});

/** A Discord app: its interactions by webhook, or those and its bot's messages by the Gateway. */
export function createDiscordAdapter(
  http: SocketHttp & { apiUrl?: string; filesUrl?: string; beginEveryMs?: number },
): AdapterDefinition {
  const settings = { apiUrl: DISCORD_API_URL, filesUrl: DISCORD_FILES_URL, ...http };
  const sessions = new HeldSessions<GatewayShards>(http.maxSockets);
  return defineAdapter({
    manifest: discordManifest,
    verify: (call) => verifyApplication(call, settings),
    verifyWebhook: (call) => verifyScheme(scheme, call, 'discord-ed25519'),
    parseInbound: parseDiscordInbound,
    poll: (call) => pollGateway(call, settings, sessions),
    fetchFile: (call) => fetchFile(call, settings),
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
