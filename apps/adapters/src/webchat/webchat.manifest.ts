import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units of one message. */
export const WEBCHAT_MAX_LENGTH = 20_000;

export const webchatManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'webchat',
  name: 'Web chat (bidirectional)',
  description: 'Puts a chat on pages of your own, and answers its visitors there.',
  icon: 'chat',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'WEB_CHAT_ORIGINS',
      type: 'text',
      label: 'Origins of the pages',
      maps_to: 'origins',
      description: 'Where the chat may be shown, separated by spaces: https://www.example.com https://shop.example.com',
    },
    {
      key: 'WEB_CHAT_IDENTITY_SECRET',
      type: 'text',
      label: 'Secret for identities',
      maps_to: 'identity_secret',
      required: false,
      description:
        'Your server signs with it who a visitor is, for example 32 random bytes: openssl rand -base64 32. With it, anonymous visitors are refused.',
    },
    {
      key: 'WEB_CHAT_ANONYMOUS',
      type: 'text',
      label: 'Anonymous visitors as well',
      maps_to: 'anonymous',
      required: false,
      description: 'yes: visitors whom your server has not signed may write too. Without a secret they always may.',
    },
  ],
  setup_instructions: [
    'Store the origins of your pages as a credential of type text, and link it.',
    'Put the lines that the page of the App shows under On your pages at the end of each page.',
    'For known visitors, store a secret for identities, and have your server give each page a JSON Web Token (HS256) with sub, exp and, if you like, name and email. The lines for signed visitors fetch it.',
    'Set Unknown senders of the channel to open, where everybody who visits may write.',
    'If your pages have a Content Security Policy, it has to allow this installation in script-src and connect-src. Nothing inline is needed.',
  ],
  webhook: { verification: { scheme: 'standard-webhooks', secret_fields: ['identity_secret'] } },
  message: {
    max_length: WEBCHAT_MAX_LENGTH,
    formats: ['markdown', 'plain'],
    threads: false,
    // It is stored under the key of its delivery.
    idempotent: true,
    mailbox: true,
  },
  features: ['actions', 'files'],
  events: [
    {
      type: 'message_received',
      description: 'A visitor has written.',
      sample: { id: '5c1b4f0e', visitor: { id: 'user:42', name: 'Jane', signed: true }, text: 'Is the build green?' },
    },
    { type: 'action', description: 'A visitor has chosen.' },
  ],
};
