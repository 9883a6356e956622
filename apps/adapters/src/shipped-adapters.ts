import type { AdapterDefinition } from '#libs/adapter-sdk';
import type { Egress } from '#libs/egress';
import type { AdaptersEnv } from './env.js';
import { createGenericAdapter } from './generic/generic.adapter.js';
import { createGithubAdapter } from './github/github.adapter.js';
import { createSlackAdapter } from './slack/slack.adapter.js';
import { createTelegramAdapter } from './telegram/telegram.adapter.js';

/** Every adapter that this process serves. */
export function shippedAdapters(env: AdaptersEnv, egress: Egress): AdapterDefinition[] {
  const http = { fetch: egress.fetch, timeoutMs: env.providerTimeoutMs };
  return [
    createGenericAdapter({ fetch: egress.fetch, timeoutMs: env.genericTimeoutMs }),
    createGithubAdapter({ ...http, apiUrl: env.githubApiUrl }),
    createSlackAdapter({ ...http, apiUrl: env.slackApiUrl }),
    createTelegramAdapter({ ...http, apiUrl: env.telegramApiUrl }),
  ];
}
