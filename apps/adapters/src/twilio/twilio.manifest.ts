import type { Manifest } from '#libs/adapter-sdk';

/** Characters of one message, which Twilio sends in up to ten or so segments. Source: Twilio error 21617. */
export const TWILIO_MAX_LENGTH = 1_600;

export const twilioManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'twilio',
  name: 'Twilio SMS (bidirectional)',
  description: 'Receives text messages to a Twilio number and answers them.',
  icon: 'sms',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'TWILIO_ACCOUNT_SID',
      type: 'text',
      label: 'Account SID',
      maps_to: 'account_sid',
      description: 'Starts with AC. On the first page of the Console.',
    },
    {
      key: 'TWILIO_AUTH_TOKEN',
      type: 'api_key',
      label: 'Auth token',
      maps_to: 'token',
      description: 'Sends messages, and checks that webhooks are of Twilio. An API key cannot do that.',
    },
    {
      key: 'TWILIO_FROM',
      type: 'text',
      label: 'Number or Messaging Service',
      maps_to: 'from',
      description: 'In the form +15551234567, or the SID of a Messaging Service, which starts with MG.',
    },
  ],
  setup_instructions: [
    'Copy the Account SID and the auth token from https://console.twilio.com into the credentials, and the number that messages are sent from.',
    'Set the Webhook URL of the App card at the number under Messaging, A message comes in, with HTTP POST; or in the Messaging Service under Integration.',
    'To learn what becomes of messages, set the same URL as the delivery status callback of the Messaging Service.',
  ],
  webhook: {
    verification: {
      scheme: 'hmac',
      header: 'x-twilio-signature',
      prefix: '',
      algorithm: 'sha1',
      encoding: 'base64',
      signed_text: '{url}{params}',
      body_hash_query: 'bodySHA256',
      secret_fields: ['token'],
    },
    // Anything else than empty TwiML would be sent to the person.
    ack: { status: 204, body: '' },
  },
  message: {
    max_length: TWILIO_MAX_LENGTH,
    formats: ['plain'],
    threads: false,
    lookup: false,
    // What a long code may send; a short code may send more, and Twilio queues what comes faster.
    rate_per_address: { count: 1, seconds: 1 },
  },
  events: [
    {
      type: 'message_received',
      description: 'A text message, with its pictures.',
      sample: 'MessageSid=SM1&AccountSid=AC1&From=%2B15551230001&To=%2B15551230002&Body=Hello&NumMedia=0',
      sample_headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    { type: 'delivery_status', description: 'A sent message is queued, sent, delivered, undelivered or has failed.' },
  ],
};
