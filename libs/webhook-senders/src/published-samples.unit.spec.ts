import { existsSync } from 'node:fs';
import { PreparedScheme } from '#libs/adapter-sdk';
import { readEvents, senderById, type WebhookSender, webhookSenders } from './index.js';
import { type PublishedSample, publishedSamples, sentBody, type SignedRequest } from './testing/published-sample.js';
import { ed25519, rsa, rules } from './testing/sign-as-sender.js';

const atMs = Date.parse('2026-01-02T03:04:05Z');
const url = 'https://hooks.example/api/v1/webhooks/token';
const pem = ({ publicKey }: typeof rsa): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** A secret of the form that the sender issues. */
function secretOf({ verification: { scheme, key } }: WebhookSender): string {
  if (scheme === 'ed25519') return pem(ed25519);
  if (scheme === 'rsa') return pem(rsa);
  if (scheme === 'standard-webhooks') return `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  if (scheme === 'basic') return 'hook:a long password';
  if (key === 'base64') return Buffer.alloc(32, 7).toString('base64');
  return key === 'hex' ? '07'.repeat(32) : 'the secret of the sender';
}

function verdict(
  id: string,
  { secret, headers = {}, ...given }: SignedRequest & { body: string },
  now: number,
): string {
  const verification = senderById(id)?.verification;
  if (!verification) throw new Error(`no sender ${id}`);
  const scheme = new PreparedScheme({ ...verification, secret_fields: ['signing_secret'] });
  const request = { method: 'POST', url: given.url ?? url, headers };
  const checked = scheme.check({ signing_secret: secret }, request, [Buffer.from(given.body)], now);
  return checked.ok ? 'ok' : checked.error;
}

const samples = webhookSenders.map((sender) => [sender.id, sender, publishedSamples.get(sender.id)] as const);

it('every sender says what it is verified against, or what is open', () => {
  expect([...publishedSamples.keys()].toSorted()).toEqual(webhookSenders.map(({ id }) => id).toSorted());
  for (const [id, , sample] of samples) {
    const isOpen = sample?.payload === null || sample?.proof.by === 'rule';
    expect([id, isOpen]).toEqual([id, Boolean(sample?.open)]);
  }
});

const published = samples.flatMap(([id, sender, sample]) =>
  sample?.payload ? [[id, sender, sample.payload] as const] : [],
);

describe.each(published)(
  'a published payload of %s',
  (id, sender, payload: NonNullable<PublishedSample['payload']>) => {
    const secret = secretOf(sender);
    const signed = rules[id]?.({ body: sentBody(payload), url, atMs, secret }) ?? {};
    const body = signed.body ?? sentBody(payload);
    const called = signed.query ? `${url}?${signed.query}` : url;
    const headers = { 'content-type': 'application/json', ...payload.headers, ...signed.headers };

    it('is accepted as it is signed, and refused with another secret', () => {
      expect(verdict(id, { secret, headers, url: called, body }, atMs)).toBe('ok');
      const other =
        sender.verification.scheme === 'basic' ? 'hook:another' : secret.replaceAll('07', '09').toUpperCase();
      expect(verdict(id, { secret: other, headers, url: called, body }, atMs)).not.toBe('ok');
    });

    it('is read as its source says', () => {
      const events = readEvents(sender.reading, { method: 'POST', url: called, headers, body: Buffer.from(body) });
      const [before = '', after] = sentBody(payload).split('@@');
      const inside = after === undefined ? '@@' : body.slice(before.length, body.length - after.length);
      const expected = JSON.parse(JSON.stringify(payload.reads).replaceAll('@@', inside)) as typeof payload.reads;
      expect(events.map(({ item: _item, ...read }) => read)).toEqual(expected);
    });

    it('names its source', () => {
      expect(new URL(payload.source).protocol).toBe('https:');
      expect(Buffer.byteLength(body)).toBeLessThan(4_000);
    });
  },
);

const proven = samples.flatMap(([id, , sample]) => {
  const { proof, payload } = sample ?? {};
  if (proof?.by !== 'vector' && proof?.by !== 'recorded') return [];
  const body = proof.body ?? (payload ? sentBody(payload) : '');
  return [[id, { ...proof, body, headers: { ...payload?.headers, ...proof.headers } }] as const];
});

describe.each(proven)('a signature of %s that others made or accept', (id, proof) => {
  const now = proof.at ? Date.parse(proof.at) : atMs;

  it('is accepted unless its secret is one that nobody may use, and refused with another body and another secret', () => {
    // The rule makes the same signature then, as the next test shows, and with a better secret it is accepted.
    expect(verdict(id, proof, now)).toBe(guessed.has(id) ? 'weak_secret' : 'ok');
    expect(verdict(id, { ...proof, secret: `${proof.secret.slice(0, -4)}AAAA` }, now)).not.toBe('ok');
    if (!uncovered.has(id)) {
      const at = proof.body.search(/[a-z](?=[a-z]*["&:= ]|$)/);
      const changed = `${proof.body.slice(0, at)}${proof.body[at] === 'q' ? 'z' : 'q'}${proof.body.slice(at + 1)}`;
      expect(verdict(id, { ...proof, body: changed }, now)).not.toBe('ok');
    }
  });

  it('is what the rule makes by which the other tests sign', () => {
    const nonce = proof.headers['x-sinch-webhook-signature-nonce'];
    const to = { body: proof.body, url: proof.url ?? url, atMs: now, secret: proof.secret, ...(nonce && { nonce }) };
    const made = rules[id]?.(to).headers ?? {};
    for (const [name, value] of Object.entries(made)) {
      const theirs = proof.headers[name];
      if (/signature|mac$|trello|hmac/.test(name) && !/timestamp|nonce/.test(name) && !unlike.has(id)) {
        expect([name, value]).toEqual([name, theirs]);
      }
    }
  });
});

/** Their proof is not over the body, as their notes say. */
const uncovered = new Set(['mailgun', 'dropbox-sign', 'adyen']);
/** Their header has what the rule makes anew: several signatures, an id, a time to the millisecond. */
const unlike = new Set(['pagerduty', 'recurly', 'svix', 'box', 'bird', 'vonage', 'wise', 'plivo']);
/** Words of examples, which the platform takes for nobody's secret. */
const guessed = new Set(['airtable', 'sanity', 'sinch', 'twilio']);

const packages = samples.flatMap(([id, , sample]) =>
  sample?.proof.by === 'package' ? [[id, sample.proof.package] as const] : [],
);

it.each(packages)('%s is checked by a package that is installed: %s', (_id, name) => {
  expect(existsSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url))).toBe(true);
});
