import type { Manifest } from '@gatehouse/adapter-sdk';

/** UTF-16 code units in one message. */
export const ACME_MAX_LENGTH = 2000;

export const acmeManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'acme',
  name: 'Acme Chat (bidirectional)',
  description: 'Receives the messages of Acme Chat channels and answers in their threads.',
  icon: 'chat',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    { key: 'ACME_TOKEN', type: 'api_key', label: 'Access token', maps_to: 'token' },
    { key: 'ACME_SIGNING_SECRET', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
  ],
  setup_instructions: [
    'Create an app at Acme Chat and copy its access token and its signing secret.',
    'Give Acme Chat the Webhook URL of the App card.',
  ],
  webhook: { verification: 'adapter' },
  message: { max_length: ACME_MAX_LENGTH, formats: ['markdown', 'plain'], threads: true },
  events: [{ type: 'message_received', description: 'A message in a channel that the app was invited to.' }],
};
