import { defineAdapter, type AdapterDefinition, dialectFormat } from '#libs/adapter-sdk';
import type { ProviderHttp } from '../provider-calls/call-provider.js';
import { deliverMessage } from './deliver-message.js';
import { fetchFile, SLACK_FILES_URL } from './fetch-file.js';
import { findDelivery } from './find-delivery.js';
import { mrkdwnDialect } from './mrkdwn-dialect.js';
import { parseSlackInbound } from './parse-inbound.js';
import { SLACK_API_URL, type SlackSettings } from './slack-api.js';
import { SLACK_MAX_LENGTH, slackManifest } from './slack.manifest.js';
import { verifyCredentials } from './verify-credentials.js';
import { verifySlackWebhook } from './verify-webhook.js';

/** Slack over its Events API and Web API. */
export function createSlackAdapter(
  http: ProviderHttp & Partial<SlackSettings> & { filesUrl?: string },
): AdapterDefinition {
  const settings = { apiUrl: SLACK_API_URL, filesUrl: SLACK_FILES_URL, ...http };
  return defineAdapter({
    manifest: slackManifest,
    verify: (call) => verifyCredentials(call, settings),
    verifyWebhook: verifySlackWebhook,
    parseInbound: parseSlackInbound,
    deliver: (call) => deliverMessage(call, settings),
    lookup: (call) => findDelivery(call, settings),
    fetchFile: (call) => fetchFile(call, settings),
    format: (request) => dialectFormat(request, mrkdwnDialect, SLACK_MAX_LENGTH),
  });
}
