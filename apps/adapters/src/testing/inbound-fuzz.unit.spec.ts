import fc from 'fast-check';
import { pino } from 'pino';
import { checkAnswer, createAdapterServer, signHmac } from '#libs/adapter-sdk';
import { createDiscordAdapter } from '../discord/discord.adapter.js';
import { createGithubAdapter } from '../github/github.adapter.js';
import { createImapAdapter } from '../imap/imap.adapter.js';
import { createLinearAdapter } from '../linear/linear.adapter.js';
import { createSlackAdapter } from '../slack/slack.adapter.js';
import { createTeamsAdapter } from '../teams/teams.adapter.js';
import { createTelegramAdapter } from '../telegram/telegram.adapter.js';
import { createTwilioAdapter } from '../twilio/twilio.adapter.js';
import { createWhatsappAdapter } from '../whatsapp/whatsapp.adapter.js';

const CANARY = 'canary-90b1fc-secret';
const noCall = () => Promise.reject(new Error('receiving makes no call'));
const http = { fetch: noCall, connect: noCall, timeoutMs: 1, maxSockets: 1 };
const adapters = [
  createDiscordAdapter(http),
  createSlackAdapter(http),
  createGithubAdapter(http),
  createImapAdapter(http),
  createLinearAdapter(http),
  createTeamsAdapter(http),
  createTelegramAdapter(http),
  createTwilioAdapter(http),
  createWhatsappAdapter(http),
];
const app = createAdapterServer(adapters, {
  version: 'test',
  logger: pino({ level: 'silent' }),
});

/** Objects with the field names that the adapters read, and any values. */
function shaped(names: readonly string[]): fc.Arbitrary<unknown> {
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        'event_callback',
        'message',
        'message_changed',
        'created',
        'opened',
        '',
        0,
        -1,
        1e99,
        null,
        true,
        'Bot',
        '1.1',
      ),
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 6 }),
    ),
  }));
  return node;
}

const NAMES: Record<string, readonly string[]> = {
  slack: [
    'type',
    'event',
    'subtype',
    'message',
    'previous_message',
    'ts',
    'user',
    'channel',
    'files',
    'item',
    'bot_id',
    'authorizations',
    'edited',
    'payload',
    'actions',
    'view',
  ],
  github: [
    'action',
    'issue',
    'comment',
    'pull_request',
    'review',
    'sender',
    'user',
    'repository',
    'full_name',
    'number',
    'node_id',
    'id',
    'body',
    'commits',
    'type',
    'login',
  ],
  telegram: [
    'update_id',
    'message',
    'edited_message',
    'callback_query',
    'message_reaction',
    'from',
    'chat',
    'id',
    'text',
    'entities',
    'offset',
    'length',
    'type',
    'photo',
    'new_reaction',
    'data',
  ],
  imap: ['folder', 'uid_validity', 'uid', 'received_at', 'size', 'mail'],
  teams: [
    'type',
    'id',
    'text',
    'value',
    'action',
    'data',
    'gatehouse',
    'entities',
    'mentioned',
    'from',
    'recipient',
    'conversation',
    'conversationType',
    'reactionsAdded',
    'channelData',
    'serviceUrl',
  ],
  discord: [
    'type',
    'id',
    'data',
    'name',
    'options',
    'value',
    'values',
    'components',
    'custom_id',
    'resolved',
    'messages',
    'target_id',
    'member',
    'user',
    'channel_id',
    'token',
  ],
  linear: [
    'type',
    'action',
    'actor',
    'data',
    'id',
    'body',
    'issue',
    'issueId',
    'parent',
    'user',
    'updatedFrom',
    'title',
  ],
  twilio: ['MessageSid', 'From', 'To', 'Body', 'MessageStatus', 'NumMedia', 'MediaUrl0'],
  whatsapp: [
    'object',
    'entry',
    'changes',
    'field',
    'value',
    'messages',
    'statuses',
    'contacts',
    'id',
    'from',
    'type',
    'text',
    'body',
    'interactive',
    'button_reply',
    'errors',
  ],
};
const EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  'ping',
  '__proto__',
];

describe.each(Object.entries(NAMES))('any input to %s', (slug, names) => {
  it('is verified and parsed below 500, as the contract requires, and leaks no secret', async () => {
    const body = fc.oneof(
      shaped(names).map((value) => JSON.stringify(value)),
      fc.string(),
      fc.json(),
    );
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...EVENTS), fc.jsonValue({ maxDepth: 2 }), async (text, event, self) => {
        const headers = { 'x-github-event': event, 'x-hub-signature-256': `sha256=${signHmac('other', text)}` };
        const credentials = { signing_secret: CANARY, token: CANARY };
        for (const content of [text, `payload=${encodeURIComponent(text)}`]) {
          for (const route of ['verify-webhook', 'parse-inbound']) {
            const payload = { credentials, self, request: { headers, body: content } };
            const answer = await app.inject({ method: 'POST', url: `/${slug}/${route}`, payload });
            expect(answer.statusCode).toBeLessThan(500);
            expect(answer.body).not.toContain(CANARY);
            if (answer.statusCode === 200) checkAnswer(route, answer.json());
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
