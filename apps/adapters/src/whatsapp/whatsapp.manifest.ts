import type { Manifest } from '#libs/adapter-sdk';

/** Characters of a text. Source: https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages */
export const WHATSAPP_MAX_LENGTH = 4_096;

export const whatsappManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'whatsapp',
  name: 'WhatsApp (bidirectional)',
  description: 'Receives what people write to a WhatsApp Business number and answers them, by the Cloud API of Meta.',
  icon: 'chat',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'WHATSAPP_TOKEN',
      type: 'api_key',
      label: 'Access token',
      maps_to: 'token',
      description: 'Of a system user, with whatsapp_business_messaging. A temporary one ends after a day.',
    },
    {
      key: 'WHATSAPP_PHONE_NUMBER_ID',
      type: 'text',
      label: 'Phone number ID',
      maps_to: 'phone_number_id',
      description: 'Under WhatsApp, API Setup. It is not the phone number.',
    },
    {
      key: 'WHATSAPP_APP_SECRET',
      type: 'text',
      label: 'App secret',
      maps_to: 'signing_secret',
      description: 'Under App settings, Basic. Without it nothing can be received.',
    },
    {
      key: 'WHATSAPP_VERIFY_TOKEN',
      type: 'text',
      label: 'Verify token of the webhook',
      maps_to: 'verify_token',
      description: 'Chosen by you, for example the output of: openssl rand -hex 32',
    },
  ],
  setup_instructions: [
    'Create a Business app at https://developers.facebook.com/apps and add WhatsApp to it.',
    'Create a system user with a permanent token in the Business settings; copy it, the phone number ID and the app secret into the credentials. Choose a verify token.',
    'Under WhatsApp, Configuration set the Webhook URL of the App card as callback URL, with the verify token, and subscribe to messages.',
    'Outside of 24 hours after a person wrote, WhatsApp takes only templates that Meta has approved.',
  ],
  webhook: {
    verification: {
      scheme: 'hmac',
      header: 'x-hub-signature-256',
      prefix: 'sha256=',
      secret_fields: ['signing_secret'],
    },
    handshake: {
      method: 'GET',
      match: { query: 'hub.mode', equals: 'subscribe' },
      respond: { query: 'hub.challenge' },
      verify_token: { query: 'hub.verify_token', field: 'verify_token' },
    },
    // Meta sends up to 3 MB.
    max_body_bytes: 3 * 1024 * 1024,
  },
  message: {
    max_length: WHATSAPP_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: false,
    max_attachment_bytes: 16 * 1024 * 1024,
    lookup: false,
    // What Meta allows to one person; bursts of more come back as 131056.
    rate_per_address: { count: 10, seconds: 60 },
  },
  features: ['actions', 'files', 'reactions', 'typing'],
  events: [
    { type: 'message_received', description: 'A message; one without text has a description and its file.' },
    { type: 'action', description: 'A press of a button or a row of a list; the message is its value.' },
    { type: 'reaction_added', description: 'An emoji on a message; the message is the emoji.' },
    { type: 'delivery_status', description: 'A sent message was sent, delivered, read or has failed.' },
  ],
};
