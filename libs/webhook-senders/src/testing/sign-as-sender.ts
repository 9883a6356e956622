import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What a sender's own rule makes of a request. Written from the rule, with nothing of the code that verifies. */
export interface Signed {
  headers?: Record<string, string>;
  query?: string;
  body?: string;
}

export interface ToSign {
  body: string;
  url: string;
  atMs: number;
  secret: string;
  nonce?: string;
}

type Rule = (to: ToSign) => Signed;

export const [ed25519, rsa] = [generateKeyPairSync('ed25519'), generateKeyPairSync('rsa', { modulusLength: 2048 })];

const mac = (by: string, key: string | Buffer, text: string, as: 'hex' | 'base64'): string =>
  createHmac(by, key).update(text).digest(as);

/** A digest of the body alone: header, text before it, hash, encoding. */
const ofBody =
  (header: string, before = '', by = 'sha256', as: 'hex' | 'base64' = 'hex'): Rule =>
  ({ body, secret }) => ({ headers: { [header]: `${before}${mac(by, secret, body, as)}` } });

/** Time and digest in one header. */
const together =
  (header: string, make: (t: string, sig: (text: string) => string, body: string) => string, unit = 1_000): Rule =>
  ({ body, atMs, secret }) => {
    const t = String(Math.floor(atMs / unit));
    return { headers: { [header]: make(t, (text) => mac('sha256', secret, text, 'hex'), body) } };
  };

const stripeLike = (header: string, version = 'v1', unit = 1_000): Rule =>
  together(header, (t, sig, body) => `t=${t},${version}=${sig(`${t}.${body}`)}`, unit);

/** Digest and time in two headers. */
const apart =
  (
    header: string,
    timeHeader: string,
    text: (t: string, body: string, url: string) => string,
    { unit = 1_000, as = 'hex', before = '', key = (secret: string): string | Buffer => secret, iso = false } = {} as {
      unit?: number;
      as?: 'hex' | 'base64';
      before?: string;
      key?: (secret: string) => string | Buffer;
      iso?: boolean;
    },
  ): Rule =>
  ({ body, url, atMs, secret }) => {
    const t = iso ? new Date(atMs).toISOString() : String(Math.floor(atMs / unit));
    return { headers: { [header]: `${before}${mac('sha256', key(secret), text(t, body, url), as)}`, [timeHeader]: t } };
  };

const shared =
  (header: string, before = ''): Rule =>
  ({ secret }) => ({ headers: { [header]: `${before}${secret}` } });

const inQuery: Rule = ({ secret }) => ({ query: `token=${encodeURIComponent(secret)}` });
const inBody: Rule = ({ body, secret }) => ({ body: body.replace('@@', secret) });
const basic: Rule = ({ secret }) => ({ headers: { authorization: `Basic ${Buffer.from(secret).toString('base64')}` } });

const standard =
  (prefix = 'webhook'): Rule =>
  ({ body, atMs, secret }) => {
    const at = new Date(atMs);
    const signature = new Webhook(secret).sign('msg_1', at, body);
    const t = String(Math.floor(atMs / 1_000));
    return { headers: { [`${prefix}-id`]: 'msg_1', [`${prefix}-timestamp`]: t, [`${prefix}-signature`]: signature } };
  };

const jwt =
  (header: string, claim: string, as: 'hex' | 'base64', timed = true, before = '', issuer?: string): Rule =>
  ({ body, atMs, secret }) => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const seconds = Math.floor(atMs / 1_000);
    const claims = {
      [claim]: createHash('sha256').update(body).digest(as),
      ...(timed && { iat: seconds, exp: seconds }),
      ...(issuer && { iss: issuer }),
    };
    const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return {
      headers: { [header]: `${before}${text}.${createHmac('sha256', secret).update(text).digest('base64url')}` },
    };
  };

const edwards =
  (header: string, timeHeader: string, between: string, as: 'hex' | 'base64'): Rule =>
  ({ body, atMs }) => {
    const t = String(Math.floor(atMs / 1_000));
    const text = Buffer.from(`${t}${between}${body}`);
    return { headers: { [header]: sign(null, text, ed25519.privateKey).toString(as), [timeHeader]: t } };
  };

const byRsa =
  (header: string): Rule =>
  ({ body }) => ({ headers: { [header]: sign('RSA-SHA256', Buffer.from(body), rsa.privateKey).toString('base64') } });

const urlAndFields: Rule = ({ body, url, secret }) => {
  const fields = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1)).flat();
  return { headers: { signature: mac('sha1', secret, `${url}${fields.join('')}`, 'base64') } };
};

const renamed =
  (rule: Rule, header: string): Rule =>
  (to) => ({ headers: { [header]: rule(to).headers?.['signature'] ?? '' } });

const adyen: Rule = ({ body, secret }) => {
  const parsed = JSON.parse(body) as { notificationItems: { NotificationRequestItem: Record<string, never> }[] };
  const item = parsed.notificationItems[0]?.NotificationRequestItem ?? {};
  const amount = (item['amount'] ?? {}) as { value?: number; currency?: string };
  const text = [
    item['pspReference'],
    item['originalReference'] ?? '',
    item['merchantAccountCode'],
    item['merchantReference'],
    amount.value,
    amount.currency,
    item['eventCode'],
    item['success'],
  ].join(':');
  return { body: body.replace('@@', mac('sha256', Buffer.from(secret, 'hex'), text, 'base64')) };
};

/** Of a URL without a query: a question mark stands between it and the fields. */
const plivo: Rule = ({ body, url, secret }) => {
  const [nonce, fields] = ['12345678901234567890', new URLSearchParams(body)];
  const pairs = [...new Set(fields.keys())].toSorted().flatMap(
    (name) =>
      fields
        .getAll(name)
        .toSorted()
        .map((value) => name + value), // Each value of a name that comes several times.
  );
  const text = `${url.replace(/\?.*/, '')}?${pairs.join('')}.${nonce}`;
  const ours = mac('sha256', secret, text, 'base64');
  const ofMain = mac('sha256', 'of the main account', text, 'base64');
  return { headers: { 'x-plivo-signature-v3': `${ofMain},${ours}`, 'x-plivo-signature-v3-nonce': nonce } };
};

const mailgun: Rule = ({ body, atMs, secret }) => {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signature = { timestamp, token: 'tok1', signature: mac('sha256', secret, `${timestamp}tok1`, 'hex') };
  return { body: JSON.stringify({ ...(JSON.parse(body) as object), signature }) };
};

const hmacOf: Record<string, Rule> = {
  github: ofBody('x-hub-signature-256', 'sha256='),
  meta: ofBody('x-hub-signature-256', 'sha256='),
  bitbucket: ofBody('x-hub-signature', 'sha256='),
  jira: ofBody('x-hub-signature', 'sha256='),
  snyk: ofBody('x-hub-signature', 'sha256='),
  intercom: ofBody('x-hub-signature', 'sha1=', 'sha1'),
  linear: ofBody('linear-signature'),
  notion: ofBody('x-notion-signature', 'sha256='),
  sentry: ofBody('sentry-hook-signature'),
  pagerduty: ofBody('x-pagerduty-signature', `v1=${'0'.repeat(64)},v1=`),
  'cal-com': ofBody('x-cal-signature-256'),
  attio: ofBody('attio-signature'),
  vapi: ofBody('x-vapi-signature'),
  'lemon-squeezy': ofBody('x-signature'),
  'modern-treasury': ofBody('x-signature'),
  razorpay: ofBody('x-razorpay-signature'),
  vercel: ofBody('x-vercel-signature', '', 'sha1'),
  segment: ofBody('x-signature', '', 'sha1'),
  webex: ofBody('x-spark-signature', '', 'sha1'),
  circleci: ofBody('circleci-signature', 'v1='),
  dropbox: ofBody('x-dropbox-signature'),
  asana: ofBody('x-hook-signature'),
  'coinbase-commerce': ofBody('x-cc-webhook-signature'),
  gocardless: ofBody('webhook-signature'),
  dwolla: ofBody('x-request-signature-sha-256'),
  ramp: ofBody('x-ramp-signature'),
  nylas: ofBody('x-nylas-signature'),
  shopify: ofBody('x-shopify-hmac-sha256', '', 'sha256', 'base64'),
  woocommerce: ofBody('x-wc-webhook-signature', '', 'sha256', 'base64'),
  typeform: ofBody('typeform-signature', 'sha256=', 'sha256', 'base64'),
  docusign: ofBody('x-docusign-signature-2', '', 'sha256', 'base64'),
  tally: ofBody('tally-signature', '', 'sha256', 'base64'),
  acuity: ofBody('x-acuity-signature', '', 'sha256', 'base64'),
  fastspring: ofBody('x-fs-signature', '', 'sha256', 'base64'),
  'help-scout': ofBody('x-helpscout-signature', '', 'sha1', 'base64'),
  'authorize-net': ofBody('x-anet-signature', 'sha512=', 'sha512'),
  airtable: ({ body, secret }) => ({
    headers: { 'x-airtable-content-mac': `hmac-sha256=${mac('sha256', Buffer.from(secret, 'base64'), body, 'hex')}` },
  }),
  square: ({ body, url, secret }) => ({
    headers: { 'x-square-hmacsha256-signature': mac('sha256', secret, `${url}${body}`, 'base64') },
  }),
  trello: ({ body, url, secret }) => ({
    headers: { 'x-trello-webhook': mac('sha1', secret, `${body}${url}`, 'base64') },
  }),
  pandadoc: ({ body, secret }) => ({ query: `signature=${mac('sha256', secret, body, 'hex')}` }),
  twilio: renamed(urlAndFields, 'x-twilio-signature'),
  plivo,
  mandrill: renamed(urlAndFields, 'x-mandrill-signature'),
  adyen,
  mailgun,
  'dropbox-sign': ({ body, secret }) => ({
    body: body.replace('@@', mac('sha256', secret, '1348177752signature_request_sent', 'hex')),
  }),
};

const timed: Record<string, Rule> = {
  slack: apart('x-slack-signature', 'x-slack-request-timestamp', (t, b) => `v0:${t}:${b}`, { before: 'v0=' }),
  zoom: apart('x-zm-signature', 'x-zm-request-timestamp', (t, b) => `v0:${t}:${b}`, { before: 'v0=' }),
  'customer-io': apart('x-cio-signature', 'x-cio-timestamp', (t, b) => `v0:${t}:${b}`),
  front: apart('x-front-signature', 'x-front-request-timestamp', (t, b) => `${t}:${b}`, { unit: 1, as: 'base64' }),
  crisp: apart('x-crisp-signature', 'x-crisp-request-timestamp', (t, b) => `[${t};${b}]`, { unit: 1 }),
  webflow: apart('x-webflow-signature', 'x-webflow-timestamp', (t, b) => `${t}:${b}`, { unit: 1 }),
  zendesk: apart('x-zendesk-webhook-signature', 'x-zendesk-webhook-signature-timestamp', (t, b) => `${t}${b}`, {
    iso: true,
    as: 'base64',
  }),
  close: apart('close-sig-hash', 'close-sig-timestamp', (t, b) => `${t}${b}`, { key: (s) => Buffer.from(s, 'hex') }),
  daily: apart('x-webhook-signature', 'x-webhook-timestamp', (t, b) => `${t}.${b}`, {
    as: 'base64',
    key: (s) => Buffer.from(s, 'base64'),
  }),
  klaviyo: apart('klaviyo-signature', 'klaviyo-timestamp', (t, b) => `${b}${t}`, { iso: true }),
  box: apart('box-signature-secondary', 'box-delivery-timestamp', (t, b) => `${b}${t}`, { iso: true, as: 'base64' }),
  hubspot: apart('x-hubspot-signature-v3', 'x-hubspot-request-timestamp', (t, b, u) => `POST${u}${b}${t}`, {
    unit: 1,
    as: 'base64',
  }),
  sinch: (to) => {
    const nonce = to.nonce ?? 'n1';
    const text = (t: string, b: string): string => `${b}.${nonce}.${t}`;
    const made = apart('x-sinch-webhook-signature', 'x-sinch-webhook-signature-timestamp', text, { as: 'base64' })(to);
    return { headers: { ...made.headers, 'x-sinch-webhook-signature-nonce': nonce } };
  },
  contentful: ({ body, url, atMs, secret }) => {
    const signed = 'x-contentful-signed-headers,x-contentful-timestamp';
    const headers = `x-contentful-signed-headers:${signed};x-contentful-timestamp:${atMs}`;
    const text = ['POST', url.replace('https://hooks.example', ''), headers, body].join('\n');
    return {
      headers: {
        'x-contentful-signed-headers': signed,
        'x-contentful-timestamp': String(atMs),
        'x-contentful-signature': mac('sha256', secret, text, 'hex'),
      },
    };
  },
  stripe: stripeLike('stripe-signature'),
  calendly: stripeLike('calendly-webhook-signature'),
  whereby: stripeLike('whereby-signature'),
  revenuecat: stripeLike('x-revenuecat-webhook-signature'),
  workos: stripeLike('workos-signature', 'v1', 1),
  elevenlabs: stripeLike('elevenlabs-signature', 'v0'),
  sanity: ({ body, atMs, secret }) => {
    const signature = createHmac('sha256', secret).update(`${atMs}.${body}`).digest('base64url');
    return { headers: { 'sanity-webhook-signature': `t=${atMs},v1=${signature}` } };
  },
  retell: together('x-retell-signature', (t, sig, body) => `v=${t},d=${sig(`${body}${t}`)}`, 1),
  paddle: together('paddle-signature', (t, sig, body) => `ts=${t};h1=${sig(`${t}:${body}`)}`),
  buildkite: together('x-buildkite-signature', (t, sig, body) => `timestamp=${t},signature=${sig(`${t}.${body}`)}`),
  recurly: together('recurly-signature', (t, sig, body) => `${t},${'0'.repeat(64)},${sig(`${t}.${body}`)}`, 1),
  discord: edwards('x-signature-ed25519', 'x-signature-timestamp', '', 'hex'),
  telnyx: edwards('telnyx-signature-ed25519', 'telnyx-timestamp', '|', 'base64'),
};

const named = (rule: Rule, ...ids: string[]): Record<string, Rule> => Object.fromEntries(ids.map((id) => [id, rule]));

/** By the id of the sender. */
export const rules: Record<string, Rule> = {
  ...hmacOf,
  ...timed,
  ...named(standard(), 'openai', 'replicate', 'recall', 'brex', 'render', 'loops', 'supabase-auth', 'anthropic'),
  ...named(standard(), 'standard-webhooks'),
  ...named(standard('svix'), 'svix', 'clerk', 'resend'),
  wise: byRsa('x-signature-sha256'),
  freshchat: byRsa('x-freshchat-signature'),
  livekit: jwt('authorization', 'sha256', 'base64'),
  vonage: jwt('authorization', 'payload_hash', 'hex', true, 'Bearer '),
  bird: jwt('messagebird-signature-jwt', 'payload_hash', 'hex'),
  netlify: jwt('x-webhook-signature', 'sha256', 'hex', false, '', 'netlify'),
  fusionauth: jwt('x-fusionauth-signature-jwt', 'request_body_sha256', 'base64', false),
  ...named(shared('x-webhook-secret'), 'assemblyai', 'huggingface', 'supabase'),
  gitlab: shared('x-gitlab-token'),
  telegram: shared('x-telegram-bot-api-secret-token'),
  cloudflare: shared('cf-webhook-auth'),
  'google-channel': shared('x-goog-channel-token'),
  ringcentral: shared('verification-token'),
  ...named(shared('authorization'), 'okta', 'auth0'),
  ...named(shared('authorization', 'Bearer '), 'datadog', 'alertmanager', 'grafana'),
  ...named(inQuery, 'gumroad', 'mailchimp', 'jotform', 'monday', 'mollie'),
  ...named(inBody, 'graph', 'aircall', 'livechat'),
  ...named(basic, 'chargebee', 'postmark', 'pipedrive', 'freshdesk', 'bandwidth'),
};
