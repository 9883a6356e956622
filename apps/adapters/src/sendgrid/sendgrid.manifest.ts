import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units of text in one mail: with its HTML well below SendGrid's 30 MB. */
export const SENDGRID_MAX_LENGTH = 500_000;

export const sendgridManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'sendgrid',
  name: 'SendGrid (bidirectional)',
  description:
    'Sends mail through Twilio SendGrid, receives mail by Inbound Parse and gets delivery events of sent mail.',
  icon: 'mail',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'SENDGRID_API_KEY',
      type: 'api_key',
      label: 'API key',
      maps_to: 'token',
      description: 'Needs the permission Mail Send.',
    },
    {
      key: 'SENDGRID_FROM',
      type: 'text',
      label: 'Sender address',
      maps_to: 'from_email',
      description: 'Of an authenticated domain, or a verified single sender.',
    },
    { key: 'SENDGRID_FROM_NAME', type: 'text', label: 'Sender name', maps_to: 'from_name', required: false },
    {
      key: 'SENDGRID_REPLY_TO',
      type: 'text',
      label: 'Reply address',
      maps_to: 'reply_to',
      required: false,
      description: 'An address at the Inbound Parse host, if the sender address is not one.',
    },
    {
      key: 'SENDGRID_EVENT_KEY',
      type: 'text',
      label: 'Verification key of the Event Webhook',
      maps_to: 'event_public_key',
      required: false,
      description: 'Shown in Settings, Mail Settings, Event Webhook. Without it every event is refused.',
    },
    {
      key: 'SENDGRID_INBOUND_KEY',
      type: 'text',
      label: 'Public key of the Inbound Parse security policy',
      maps_to: 'inbound_public_key',
      required: false,
      description: 'Without it every mail is refused, unless unsigned mail is allowed.',
    },
    {
      key: 'SENDGRID_INBOUND_UNSIGNED',
      type: 'text',
      label: 'Unsigned Inbound Parse',
      maps_to: 'inbound_unsigned',
      required: false,
      description: 'allow: mail without a signature is accepted, so anybody who knows the Webhook URL can send mail.',
    },
    {
      key: 'SENDGRID_REGION',
      type: 'text',
      label: 'Region',
      maps_to: 'region',
      required: false,
      description: 'eu for a subuser in the European region.',
    },
  ],
  setup_instructions: [
    'Authenticate the sending domain, and create an API key with the permission Mail Send.',
    'To get delivery events: add an Event Webhook with the Webhook URL of the App card, turn on its signature and copy the key.',
    'To receive mail: point the MX record of a subdomain at mx.sendgrid.net and add it under Inbound Parse with the same URL.',
    'Create a security policy with a signature for Inbound Parse, attach it, copy its public key.',
  ],
  webhook: { verification: 'adapter', max_body_bytes: 25 * 1024 * 1024 },
  message: {
    max_length: SENDGRID_MAX_LENGTH,
    formats: ['markdown', 'plain'],
    threads: true,
    mail: true,
    lookup: false,
  },
  features: ['files'],
  events: [
    { type: 'email_received', description: 'A mail to an address of the Inbound Parse host.' },
    {
      type: 'delivery_status',
      description: 'The delivery status of a mail: delivered, bounce, dropped, deferred and so on.',
    },
  ],
};
