import type { AdapterDefinition } from '#libs/adapter-sdk';
import type { Egress } from '#libs/egress';
import type { AdaptersEnv } from './env.js';
import { createDiscordAdapter } from './discord/discord.adapter.js';
import { createGenericAdapter } from './generic/generic.adapter.js';
import { createGithubAdapter } from './github/github.adapter.js';
import { createGmailAdapter } from './gmail/gmail.adapter.js';
import { createImapAdapter } from './imap/imap.adapter.js';
import { createLinearAdapter } from './linear/linear.adapter.js';
import { createS3Adapter } from './s3/s3.adapter.js';
import { createSendgridAdapter } from './sendgrid/sendgrid.adapter.js';
import { createSlackAdapter } from './slack/slack.adapter.js';
import { createSmtpAdapter } from './smtp/smtp.adapter.js';
import { createSnsAdapter } from './sns/sns.adapter.js';
import { createTeamsAdapter } from './teams/teams.adapter.js';
import { createTelegramAdapter } from './telegram/telegram.adapter.js';
import { createTwilioAdapter } from './twilio/twilio.adapter.js';
import { createWebchatAdapter } from './webchat/webchat.adapter.js';
import { createWhatsappAdapter } from './whatsapp/whatsapp.adapter.js';

/** Every adapter that this process serves. */
export function shippedAdapters(env: AdaptersEnv, egress: Egress): AdapterDefinition[] {
  const http = { fetch: egress.fetch, timeoutMs: env.providerTimeoutMs };
  const sockets = { connect: egress.connect, maxSockets: env.maxSockets };
  return [
    createDiscordAdapter({ ...http, ...sockets, apiUrl: env.discordApiUrl }),
    createGenericAdapter({ fetch: egress.fetch, timeoutMs: env.genericTimeoutMs }),
    createGithubAdapter({ ...http, apiUrl: env.githubApiUrl }),
    createGmailAdapter({ ...http, apiUrl: env.gmailApiUrl, jwksUrl: env.googleJwksUrl }),
    createImapAdapter({ connect: egress.connect, timeoutMs: env.providerTimeoutMs }),
    createLinearAdapter({ ...http, apiUrl: env.linearApiUrl }),
    createS3Adapter(http),
    createSendgridAdapter({ ...http, apiUrl: env.sendgridApiUrl }),
    createSlackAdapter({ ...http, ...sockets, apiUrl: env.slackApiUrl }),
    createSmtpAdapter({ connect: egress.connect, timeoutMs: env.providerTimeoutMs }),
    createSnsAdapter(http),
    createTeamsAdapter({ ...http, loginUrl: env.teamsLoginUrl, jwksUrl: env.teamsJwksUrl }),
    createTelegramAdapter({ ...http, apiUrl: env.telegramApiUrl }),
    createTwilioAdapter({ ...http, apiUrl: env.twilioApiUrl }),
    createWebchatAdapter(),
    createWhatsappAdapter({ ...http, apiUrl: env.whatsappApiUrl }),
  ];
}
