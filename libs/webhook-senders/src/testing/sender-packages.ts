import { hmacValidator } from '@adyen/api-library';
import { signRequest as signForContentful, verifyRequest as isOfContentful } from '@contentful/node-apps-toolkit';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { verify as verifyGithub } from '@octokit/webhooks-methods';
import { Paddle } from '@paddle/paddle-node-sdk';
import { isValidSignature as isOfSanity } from '@sanity/webhook';
import { verifySlackRequest } from '@slack/bolt';
import { WorkOS } from '@workos-inc/node';
import { verifyKey } from 'discord-interactions';
import { verifySignature as verifyGocardless } from 'gocardless-nodejs';
import { AccessToken, WebhookReceiver } from 'livekit-server-sdk';
import ModernTreasury from 'modern-treasury';
import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import Razorpay from 'razorpay';
import { validateWebhook as isOfReplicate } from 'replicate';
import { verify as isOfRetell } from 'retell-sdk';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import Telnyx from 'telnyx';
import twilio from 'twilio';
import { ed25519, type Signed, type ToSign } from './sign-as-sender.js';

/** A request as a provider's package gets it. */
export interface Given {
  body: string;
  headers: Record<string, string>;
  url: string;
  secret: string;
}

export interface ByPackage {
  /** Of our list: the same package checks for all of them. */
  senders: string[];
  secrets: [string, string];
  /** Whether the provider's own code accepts the request; it may throw. */
  accepts(given: Given): unknown;
  /** Where the package wants a body of now. */
  timed?(body: string): string;
  headers?: Record<string, string>;
  /** Where the provider's package makes the proof too. */
  sign?(to: ToSign): Promise<Signed>;
  /** Its package looks at no time, ours does. */
  ignoresTime?: true;
}

/** Where the requests are sent. */
export const url = 'https://hooks.example/api/v1/webhooks/token';
const texts: [string, string] = ['the secret of the sender', 'another secret of it'];
const standard: [string, string] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
];
const rawKey = ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
const otherKey = Buffer.from(rawKey).fill(9, 0, 1);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const adyenItem = (text: string) =>
  (JSON.parse(text) as { notificationItems: { NotificationRequestItem: never }[] }).notificationItems[0]
    ?.NotificationRequestItem;

/** By the name of the package. */
export const packages: Record<string, ByPackage> = {
  '@adyen/api-library': {
    senders: ['adyen'],
    secrets: ['07'.repeat(32), '08'.repeat(32)],
    accepts: ({ body, secret }) => {
      const item = adyenItem(body);
      return item !== undefined && new hmacValidator().validateHMAC(item, secret);
    },
  },
  '@contentful/node-apps-toolkit': {
    senders: ['contentful'],
    secrets: [
      'cbe3e9db5f44f4381f3840257b442bfe59184c9cde7b259475c179ea9b081c55',
      '07f1a6713f3ddfa790d43573584608d8a3ddc0c2c76213eacd6fca4b63b0ff62',
    ],
    sign: ({ body, secret }) => {
      const topic = 'ContentManagement.Entry.publish';
      const request = { method: 'POST' as const, path: '/api/v1/webhooks/token', body };
      const headers = { 'X-Contentful-Topic': topic, 'content-type': 'application/json' };
      return Promise.resolve({ headers: { ...signForContentful(secret, { ...request, headers }) } });
    },
    accepts: ({ body, headers, secret }) =>
      isOfContentful(secret, { method: 'POST', path: '/api/v1/webhooks/token', headers, body }, 300),
  },
  '@linear/sdk': {
    senders: ['linear'],
    secrets: texts,
    timed: (body) => JSON.stringify({ ...(JSON.parse(body) as object), webhookTimestamp: Date.now() }),
    accepts: ({ body, headers, secret }) =>
      new LinearWebhookClient(secret).verify(Buffer.from(body), headers['linear-signature'] ?? ''),
  },
  '@octokit/webhooks-methods': {
    senders: ['github'],
    secrets: texts,
    accepts: ({ body, headers, secret }) => verifyGithub(secret, body, headers['x-hub-signature-256'] ?? ''),
  },
  '@paddle/paddle-node-sdk': {
    senders: ['paddle'],
    secrets: texts,
    accepts: ({ body, headers, secret }) =>
      new Paddle('key').webhooks.isSignatureValid(body, secret, headers['paddle-signature'] ?? ''),
  },
  '@sanity/webhook': {
    senders: ['sanity'],
    secrets: texts,
    ignoresTime: true,
    accepts: ({ body, headers, secret }) => isOfSanity(body, headers['sanity-webhook-signature'] ?? '', secret),
  },
  '@slack/bolt': {
    senders: ['slack'],
    secrets: texts,
    accepts: ({ body, headers, secret }) => {
      const given = {
        'x-slack-signature': headers['x-slack-signature'] ?? '',
        'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
      };
      verifySlackRequest({ signingSecret: secret, body, headers: given });
      return true;
    },
  },
  '@workos-inc/node': {
    senders: ['workos'],
    secrets: texts,
    accepts: ({ body, headers, secret }) =>
      new WorkOS('key').webhooks.verifyHeader({
        payload: JSON.parse(body) as Record<string, unknown>,
        sigHeader: headers['workos-signature'] ?? '',
        secret,
      }),
  },
  'discord-interactions': {
    senders: ['discord'],
    secrets: [rawKey, otherKey].map((key) => key.toString('hex')) as [string, string],
    ignoresTime: true,
    accepts: ({ body, headers, secret }) =>
      verifyKey(body, headers['x-signature-ed25519'] ?? '', headers['x-signature-timestamp'] ?? '', secret),
  },
  'gocardless-nodejs': {
    senders: ['gocardless'],
    secrets: texts,
    accepts: ({ body, headers, secret }) => {
      verifyGocardless(body, secret, headers['webhook-signature'] ?? '');
      return true;
    },
  },
  'livekit-server-sdk': {
    senders: ['livekit'],
    secrets: ['a secret of thirty-two characters', 'a second one with thirty-two of it'],
    sign: async ({ body, secret }) => {
      const token = new AccessToken('key', secret);
      token.sha256 = createHash('sha256').update(body).digest('base64');
      return { headers: { authorization: await token.toJwt() } };
    },
    accepts: async ({ body, headers, secret }) => {
      await new WebhookReceiver('key', secret).receive(body, headers['authorization']);
      return true;
    },
  },
  'modern-treasury': {
    senders: ['modern-treasury'],
    secrets: texts,
    accepts: ({ body, headers, secret }) =>
      new ModernTreasury({ apiKey: 'key', organizationID: 'id' }).webhooks.validateSignature(
        body,
        headers['x-signature'] ?? '',
        { key: secret },
      ),
  },
  openai: {
    senders: ['openai'],
    secrets: standard,
    accepts: ({ body, headers, secret }) =>
      new OpenAI({ apiKey: 'key' }).webhooks.verifySignature(body, headers, secret).then(() => true),
  },
  razorpay: {
    senders: ['razorpay'],
    secrets: texts,
    accepts: ({ body, headers, secret }) =>
      Razorpay.validateWebhookSignature(body, headers['x-razorpay-signature'] ?? '', secret),
  },
  replicate: {
    senders: ['replicate'],
    secrets: standard,
    ignoresTime: true,
    accepts: ({ body, headers, secret }) =>
      isOfReplicate({
        id: headers['webhook-id'] ?? '',
        timestamp: headers['webhook-timestamp'] ?? '',
        signature: headers['webhook-signature'] ?? '',
        body,
        secret,
      }),
  },
  'retell-sdk': {
    senders: ['retell'],
    secrets: texts,
    accepts: ({ body, headers, secret }) => isOfRetell(body, secret, headers['x-retell-signature'] ?? ''),
  },
  standardwebhooks: {
    senders: ['standard-webhooks', 'recall', 'brex', 'render', 'loops', 'supabase-auth', 'anthropic'],
    secrets: standard,
    accepts: ({ body, headers, secret }) => new StandardWebhook(secret).verify(body, headers),
  },
  stripe: {
    senders: ['stripe'],
    secrets: texts,
    accepts: ({ body, headers, secret }) =>
      new Stripe('key').webhooks.constructEvent(body, headers['stripe-signature'] ?? '', secret),
  },
  svix: {
    senders: ['svix', 'clerk', 'resend'],
    secrets: standard,
    accepts: ({ body, headers, secret }) => {
      new SvixWebhook(secret).verify(body, headers);
      return true;
    },
  },
  telnyx: {
    senders: ['telnyx'],
    secrets: [rawKey, otherKey].map((key) => key.toString('base64')) as [string, string],
    accepts: ({ body, headers, secret }) =>
      new Telnyx({ apiKey: 'key', publicKey: secret }).webhooks.unwrap(body, { headers }),
  },
  twilio: {
    senders: ['twilio'],
    secrets: texts,
    headers: form,
    accepts: ({ body, headers, secret }) =>
      twilio.validateRequest(
        secret,
        headers['x-twilio-signature'] ?? '',
        url,
        Object.fromEntries(new URLSearchParams(body)),
      ),
  },
};
