// Well-known senders of webhooks: how each is checked, and what is read of its events.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../launcher/project.mjs';
import { head, row } from './sources.mjs';

/** @returns {Promise<string>} the page */
export async function sendersPage() {
  const built = pathToFileURL(join(root, 'dist/libs/webhook-senders/src/index.js')).href;
  const { setupSteps, webhookSenders } = await import(built);
  const verified = webhookSenders.map((/** @type {Sender} */ sender) => verifiedOf(sender));
  const both = verified.filter(({ isProven, isPublished }) => isProven && isPublished).length;
  return [
    '# Senders of webhooks',
    '',
    `The built-in Webhook app knows ${webhookSenders.length} senders. Choosing one (\`sender\`) fills in how its requests are checked and read; its`,
    'handshake is answered.',
    '',
    'The rules are collected from public documentation and code. A test signs a request of each by code apart from the one that verifies, and reads',
    `an event of it. [What each is verified against](#what-each-is-verified-against) says whose payload that is, and whose code agrees with the`,
    `signature: ${both} of the ${webhookSenders.length} have both from others. For the rest, send a test event from the sender before you rely on it. Remarks say`,
    'what is known to be uncertain.',
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
    '## What each is verified against',
    '',
    'A *vector* is a body, a secret and a signature printed together. *Its package* is a package of the sender, or of its standard, that checks or',
    'makes the signature in a test. *Recorded* requests were accepted by the package that is named, and refused when changed: `node',
    'scripts/check-sender-proofs.mjs` asks again. A secret that is sent along signs nothing. Payloads are captured deliveries, examples of the',
    "sender's documentation, or of tests; fields that no row reads may be left out of them.",
    '',
    head('Sender', 'Signature', 'Payload', 'Not verified'),
    ...verified.map((/** @type {Verified} */ { sender, signature, payload, open }) =>
      row(`${sender.name} \`${sender.id}\``, signature, payload, open),
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

/** @typedef {{ sender: Sender, signature: string, payload: string, open: string, isProven: boolean, isPublished: boolean }} Verified */

const published = join(root, 'libs/webhook-senders/src/testing/published');

/** @param {Sender} sender @returns {Verified} */
function verifiedOf(sender) {
  const { payload, proof, open } = JSON.parse(readFileSync(join(published, `${sender.id}.json`), 'utf8'));
  /** @type {Record<string, string>} */
  const signatures = {
    vector: `vector of [${host(proof.source)}](${proof.source})`,
    package: `its package \`${proof.package}\``,
    recorded: `recorded: \`${proof.package}\``,
    comparison: 'none: a secret is sent along',
    rule: '',
  };
  return {
    sender,
    signature: signatures[proof.by] ?? '',
    payload: payload ? `${payload.kind}, [${host(payload.source)}](${payload.source})${readIn(payload)}` : '',
    open: open ?? '',
    isProven: proof.by !== 'rule',
    isPublished: payload !== null,
  };
}

/** @param {{ read_in?: string }} payload */
const readIn = ({ read_in: place }) => (place ? `, as in ${place}` : '');

/** @param {string | undefined} address */
const host = (address) => (address ? new URL(address).hostname : '');

/** @param {Record<string, string>} verification */
function checkedBy({ scheme, header, query, pointer, algorithm = 'sha256', signed_text: text }) {
  const place = header ?? (query ? `?${query}` : pointer);
  const name = scheme === 'hmac' ? `HMAC ${algorithm}` : (scheme ?? '');
  return `${name}${place ? ` in \`${place}\`` : ''}${text && text.length < 60 ? ` over \`${text}\`` : ''}`;
}

/** Angle brackets would be a tag on the site. @param {string} text */
const escaped = (text) => text.replaceAll('<', '\\<');
