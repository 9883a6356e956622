import { defineAdapter, type AdapterDefinition, dialectFormat } from '#libs/adapter-sdk';
import { HeldSessions, type SocketHttp } from '../held-sockets/held-sessions.js';
import { SLACK_HOOKS_URL } from './answer-call.js';
import { deliverMessage } from './deliver-message.js';
import { fetchFile, SLACK_FILES_URL } from './fetch-file.js';
import { findDelivery } from './find-delivery.js';
import { makeReadable } from './make-readable.js';
import { mrkdwnDialect } from './mrkdwn-dialect.js';
import { parseSlackInbound } from './parse-inbound.js';
import { pollSocket } from './poll-socket.js';
import { SLACK_API_URL } from './slack-api.js';
import { SLACK_MAX_LENGTH, slackManifest } from './slack.manifest.js';
import type { SocketModeSession } from './socket-mode.js';
import { verifyCredentials } from './verify-credentials.js';
import { verifySlackWebhook } from './verify-webhook.js';

/** Slack over its Events API or Socket Mode, and its Web API. */
export function createSlackAdapter(
  http: SocketHttp & { apiUrl?: string; filesUrl?: string; hooksUrl?: string },
): AdapterDefinition {
  const settings = { apiUrl: SLACK_API_URL, filesUrl: SLACK_FILES_URL, hooksUrl: SLACK_HOOKS_URL, ...http };
  const sessions = new HeldSessions<SocketModeSession>(http.maxSockets);
  return defineAdapter({
    manifest: slackManifest,
    verify: (call) => verifyCredentials(call, settings),
    verifyWebhook: verifySlackWebhook,
    parseInbound: (call) => makeReadable(parseSlackInbound(call), call, settings),
    poll: (call) => pollSocket(call, settings, sessions),
    deliver: (call) => deliverMessage(call, settings),
    lookup: (call) => findDelivery(call, settings),
    fetchFile: (call) => fetchFile(call, settings),
    format: (request) => dialectFormat(request, mrkdwnDialect, SLACK_MAX_LENGTH),
  });
}
