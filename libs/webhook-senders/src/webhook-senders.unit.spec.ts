import { parseTemplate, PreparedScheme, schemeProblem } from '#libs/adapter-sdk';
import { readEvents, setupSteps, type WebhookSender, webhookSenders } from './index.js';
import { ed25519, rsa, rules, type Signed } from './testing/sign-as-sender.js';

const atMs = Date.parse('2026-01-02T03:04:05Z');
const url = 'https://hooks.example/api/v1/webhooks/token?a=1';
const base64Key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** Two secrets of the form that the sender issues. */
function secretsOf({ verification: { scheme, key } }: WebhookSender): [string, string] {
  if (scheme === 'ed25519') return [ed25519, rsa].map((pair) => pem(pair)) as [string, string];
  if (scheme === 'rsa') return [rsa, ed25519].map((pair) => pem(pair)) as [string, string];
  if (scheme === 'standard-webhooks') return [`whsec_${base64Key(7)}`, `whsec_${base64Key(8)}`];
  if (scheme === 'basic') return ['hook:a long password', 'hook:another password'];
  if (key === 'base64') return [base64Key(7), base64Key(8)];
  return key === 'hex' ? ['07'.repeat(32), '08'.repeat(32)] : ['the secret of the sender', 'another secret of it'];
}

const pem = ({ publicKey }: typeof rsa): string => publicKey.export({ type: 'spki', format: 'pem' }).toString();

const textOf = ({ sample: { body } }: WebhookSender): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

function requestOf(sender: WebhookSender, signed: Signed, body = signed.body ?? textOf(sender)) {
  const headers = { 'content-type': 'application/json', ...sender.sample.headers, ...signed.headers };
  const called = withoutQuery.has(sender.id) ? url.replace(/\?.*/, '') : url;
  return {
    method: 'POST',
    url: `${called}${signed.query ? `&${signed.query}` : ''}`,
    headers,
    body: Buffer.from(body),
  };
}

function verdictOf(
  sender: WebhookSender,
  signed: Signed,
  fields: object,
  { now = atMs, body = signed.body } = {},
): string {
  const scheme = new PreparedScheme({
    ...sender.verification,
    secret_fields: ['signing_secret', 'signing_secret_next'],
  });
  const request = requestOf(sender, signed, body);
  const verdict = scheme.check(fields, request, [request.body], now);
  return verdict.ok ? 'ok' : verdict.error;
}

const signedBy = (sender: WebhookSender, secret: string): Signed =>
  rules[sender.id]?.({ body: textOf(sender), url, atMs, secret }) ?? {};

/** Signs another text where the URL has a query, as its row says. */
const withoutQuery = new Set(['plivo']);
/** Their proof is not over the body, as their notes say. */
const uncovered = new Set(['mailgun', 'dropbox-sign', 'adyen']);
const isShared = ({ verification: { scheme } }: WebhookSender): boolean => scheme === 'secret' || scheme === 'basic';
const signsTime = ({ verification }: WebhookSender): boolean =>
  verification.scheme === 'standard-webhooks' ||
  Object.keys(verification).some((name) => name.startsWith('timestamp_'));

it('every sender has a rule of its own to sign by, and no rule is left over', () => {
  expect(Object.keys(rules).toSorted()).toEqual(webhookSenders.map(({ id }) => id).toSorted());
  expect(new Set(webhookSenders.map(({ id }) => id)).size).toBe(webhookSenders.length);
});

describe.each(webhookSenders.map((sender) => [sender.id, sender] as const))('%s', (_id, sender) => {
  const [ours, other] = secretsOf(sender);
  const signed = signedBy(sender, ours);

  it('is accepted as it signs, by the first and by the second secret', () => {
    expect(verdictOf(sender, signed, { signing_secret: ours })).toBe('ok');
    expect(verdictOf(sender, signed, { signing_secret: other, signing_secret_next: ours })).toBe('ok');
    expect(verdictOf(sender, signed, { signing_secret: [other, ours] })).toBe('ok');
  });

  it('is accepted with its headers in another order, among others', () => {
    const headers = Object.fromEntries(Object.entries({ ...signed.headers, 'x-other': '1' }).reverse());
    expect(verdictOf(sender, { ...signed, headers }, { signing_secret: ours })).toBe('ok');
  });

  it('is refused with another secret, and without one', () => {
    expect(verdictOf(sender, signed, { signing_secret: other })).toMatch(/^(?:bad_signature|weak_secret)$/);
    expect(verdictOf(sender, signed, {})).toBe('not_configured');
    expect(verdictOf(sender, {}, { signing_secret: ours }, { body: textOf(sender).replaceAll('@@', '') })).toMatch(
      /^missing_/,
    );
  });

  it('is refused when the body changes, where it is signed', () => {
    if (isShared(sender) || uncovered.has(sender.id)) return;
    const body = textOf(sender).replace(/[a-z]/, (letter) => (letter === 'a' ? 'b' : 'a'));
    expect(verdictOf(sender, signed, { signing_secret: ours }, { body })).toBe('bad_signature');
    expect(verdictOf(sender, signed, { signing_secret: ours }, { body: `${textOf(sender)} ` })).toBe('bad_signature');
  });

  it('is refused when it is too old, where a time is signed', () => {
    const tooLate = atMs + ((sender.verification.tolerance_seconds ?? 300) + 2) * 1_000;
    const stale = verdictOf(sender, signed, { signing_secret: ours }, { now: tooLate });
    const isToken = sender.verification.scheme.startsWith('jwt-') && !['netlify', 'fusionauth'].includes(sender.id);
    expect(stale).toBe(signsTime(sender) || isToken ? 'stale_timestamp' : 'ok');
  });

  it('names its events: type, sender, and what makes a second delivery a duplicate', () => {
    const [event] = readEvents(sender.reading, requestOf(sender, signed));
    expect(event?.event_type).toMatch(/^[\w.:/# -]+$/);
    expect(event?.event_type).not.toBe('webhook_received');
    if (sender.reading.dedup_key) expect(event?.dedup_key).toBeTruthy();
    if (sender.reading.sender) expect(event?.sender).toBeTruthy();
  });

  it('is described without a contradiction, in words for a person', () => {
    expect(schemeProblem(sender.verification)).toBeNull();
    const { items: _items, ...templates } = sender.reading;
    for (const template of Object.values(templates).flat())
      expect([template, parseTemplate(template)]).not.toContain(null);
    expect(new URL(sender.source).protocol).toBe('https:');
    const steps = setupSteps(sender);
    expect(steps.length).toBeGreaterThanOrEqual(2);
    for (const step of steps) expect(step).toMatch(/^[A-Z].*[.:}]$/);
  });
});
