import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units of one comment. Linear documents no limit; who has more to say is read in parts. */
export const LINEAR_MAX_LENGTH = 10_000;

export const linearManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'linear',
  name: 'Linear',
  description: 'Receives issues and comments of a Linear workspace, and answers in their threads.',
  icon: 'chat',
  category: 'productivity',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'LINEAR_TOKEN',
      type: 'api_key',
      label: 'API key',
      maps_to: 'token',
      description:
        'Of a member that only the agent uses, under Settings → Account → Security & access; or the token of an OAuth app with actor=app.',
    },
    {
      key: 'LINEAR_WEBHOOK_SECRET',
      type: 'text',
      label: 'Signing secret',
      maps_to: 'signing_secret',
      description: 'Of the webhook. Without it nothing can be received.',
    },
  ],
  setup_instructions: [
    'Invite a member for the agent to the workspace, or create an OAuth app with actor=app: what the owner of the token writes counts as the agent’s own, and is not answered.',
    'Copy an API key of that member, or the app’s token, into the credentials.',
    'Under Settings → API → Webhooks create a webhook with the Webhook URL of the App card, for the data change events Issues and Comments, and copy its signing secret into the credentials.',
    'Press Verify.',
  ],
  webhook: {
    verification: { scheme: 'hmac', header: 'linear-signature', prefix: '', secret_fields: ['signing_secret'] },
  },
  message: {
    max_length: LINEAR_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    lookup: true,
  },
  features: ['edit', 'files', 'reactions'],
  events: [
    { type: 'issue_opened', description: 'A new issue; the message is its title and description.' },
    { type: 'issue_comment', description: 'A comment on an issue.' },
    { type: 'message_edited', description: 'A comment whose text was changed.' },
    { type: 'message_deleted', description: 'A deleted comment; its text is not included.' },
  ],
};
