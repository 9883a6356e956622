import type { Manifest } from '#libs/adapter-sdk';

export const GENERIC_SLUG = 'generic';

/** UTF-16 code units in one outgoing request. */
export const GENERIC_MAX_LENGTH = 100_000;

export const genericManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: GENERIC_SLUG,
  name: 'Generic HTTP (bidirectional)',
  description: 'Receives signed JSON or text over HTTP and answers by posting signed JSON to an HTTP address.',
  icon: 'webhook',
  category: 'Integration',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'SIGNING_SECRET',
      type: 'text',
      label: 'Signing secret',
      maps_to: 'signing_secret',
      required: false,
      description:
        'Verifies incoming webhooks and signs outgoing ones. Without it nothing can be received. Base64, with or without whsec_, for Standard Webhooks.',
    },
    {
      key: 'BEARER_TOKEN',
      type: 'api_key',
      label: 'Bearer token of the receiving server',
      maps_to: 'token',
      required: false,
      description: 'Sent as Authorization: Bearer with every outgoing request.',
    },
    {
      key: 'FIELD_MAPPING',
      type: 'text',
      label: 'Field mapping',
      maps_to: 'mapping',
      required: false,
      description: 'JSON object from message field to JSON pointer, for example {"message":"/data/body"}.',
    },
  ],
  setup_instructions: [
    'Choose a signing secret, for example the output of: openssl rand -base64 32',
    'Give the sender the Webhook URL of the App card and the signing secret.',
    'The sender signs each request: either the Standard Webhooks headers (webhook-id, webhook-timestamp, webhook-signature) or X-Signature-256: sha256=<hex HMAC-SHA256 of the body>.',
    'The body is JSON with message or text, and optionally sender, id, thread_id, event_type and reply_to. Map other names with JSON pointers.',
    'Replies are posted to reply_to, or to the channel address of the conversation, with the header X-Gatehouse-Origin. A server that forwards them back must keep that header or the field gatehouse_origin.',
  ],
  webhook: { verification: 'adapter' },
  message: {
    max_length: GENERIC_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    // Every attempt carries the same Idempotency-Key, which the receiver is asked to honour.
    idempotent: true,
  },
  features: ['files'],
  events: [
    {
      type: 'message_received',
      description: 'A message without its own event_type, or a plain text body.',
      sample: { sender: 'jane@example.com', message: 'Is the build green?', id: '42', thread_id: 'release-7' },
    },
  ],
};
