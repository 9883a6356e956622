// Well-known senders of webhooks: how each is checked, and what is read of its events.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../launcher/project.mjs';
import { head, row } from './sources.mjs';

/** @returns {Promise<string>} the page */
export async function sendersPage() {
  const built = pathToFileURL(join(root, 'dist/libs/webhook-senders/src/index.js')).href;
  const { setupSteps, webhookSenders } = await import(built);
  return [
    '# Senders of webhooks',
    '',
    `The built-in Webhook app knows ${webhookSenders.length} senders. Choosing one (\`sender\`) fills in how its requests are checked and read; its`,
    'handshake is answered.',
    '',
    'The rules are collected from public documentation and code. A test signs a request of each by code apart from the one that verifies: from',
    "the sender's rule, for Standard Webhooks with that project's own library. For 29 of them, among them Stripe, OpenAI, Slack, GitHub and Twilio,",
    "the providers' own packages check the same requests, and agree: as signed, changed, of another secret, and old. No real requests were at",
    'hand but the published examples of GitHub and Slack: send a test event from the sender before you rely on it. Remarks say what is known to',
    'be uncertain.',
    '',
    'Some are not in the list. SendGrid, Amazon SNS and Gmail have [adapters](../adapters/README.md) of their own. PayPal, Plaid, Wix and Google',
    'push name the key to check with by a URL, which the ingress does not fetch.',
    'They can send to the Webhook app without a check of signatures, or through an adapter of yours.',
    '',
    head('Sender', 'Is checked by', 'Handshake', 'Events from', 'Remarks'),
    ...webhookSenders.map((/** @type {Sender} */ sender) =>
      row(
        `[${sender.name}](${sender.source}) \`${sender.id}\``,
        checkedBy(sender.verification),
        sender.handshake ? sender.handshake.method : '',
        (sender.reading.event_type ?? []).map((/** @type {string} */ text) => `\`${text}\``).join(', '),
        sender.note ?? '',
      ),
    ),
    '',
    ...webhookSenders.flatMap((/** @type {Sender} */ sender) => [
      `## ${sender.name}`,
      '',
      ...setupSteps(sender).map(
        (/** @type {string} */ step, /** @type {number} */ at) => `${at + 1}. ${escaped(step)}`,
      ),
      '',
    ]),
  ].join('\n');
}

/** @typedef {{ id: string, name: string, source: string, note?: string, verification: Record<string, string>, handshake?: { method: string }, reading: { event_type?: string[] } }} Sender */

/** @param {Record<string, string>} verification */
function checkedBy({ scheme, header, query, pointer, algorithm = 'sha256', signed_text: text }) {
  const place = header ?? (query ? `?${query}` : pointer);
  const name = scheme === 'hmac' ? `HMAC ${algorithm}` : (scheme ?? '');
  return `${name}${place ? ` in \`${place}\`` : ''}${text && text.length < 60 ? ` over \`${text}\`` : ''}`;
}

/** Angle brackets would be a tag on the site. @param {string} text */
const escaped = (text) => text.replaceAll('<', '\\<');
