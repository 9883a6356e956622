import type { Manifest } from '#libs/adapter-sdk';

/** Characters of one message: Teams takes about 28 KB, of which UTF-16 is two bytes a character. */
export const TEAMS_MAX_LENGTH = 12_000;

export const teamsManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'teams',
  name: 'Microsoft Teams (bidirectional)',
  description: 'Receives messages and card actions of a Microsoft Teams bot and answers in its chats and threads.',
  icon: 'chat',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'TEAMS_APP_ID',
      type: 'text',
      label: 'Microsoft App ID',
      maps_to: 'app_id',
      description: 'Of the Azure Bot, under Configuration. Without it nothing can be received.',
    },
    {
      key: 'TEAMS_APP_PASSWORD',
      type: 'text',
      label: 'Client secret',
      maps_to: 'app_password',
      description: "Under Certificates & secrets of the bot's app registration: its value, not its ID.",
    },
    {
      key: 'TEAMS_TENANT_ID',
      type: 'text',
      label: 'Tenant ID',
      maps_to: 'tenant_id',
      description: 'Of the directory that the app registration is in.',
    },
    {
      key: 'TEAMS_HEARS',
      type: 'text',
      label: 'What it hears in teams and group chats',
      maps_to: 'hears',
      required: false,
      description: 'mentions: in teams and group chats only messages that mention the bot. Without it, all messages.',
    },
  ],
  setup_instructions: [
    'Create an Azure Bot (single tenant) at https://portal.azure.com and copy App ID, tenant ID and a client secret into the credentials.',
    'Under Configuration set the Webhook URL of the App card as messaging endpoint; under Channels add Microsoft Teams.',
    'In the Developer Portal of Teams create an app with this bot, with the scopes personal, team and group chat, and install it.',
  ],
  webhook: {
    verification: 'adapter',
    // What an invoke wants to hear; Teams does not read it after a message.
    ack: {
      status: 200,
      body: { statusCode: 200, type: 'application/vnd.microsoft.activity.message', value: 'OK' },
    },
  },
  message: {
    max_length: TEAMS_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    lookup: false,
    // Of one bot in one thread. Source: Microsoft, Optimize your bot with rate limiting.
    rate_per_address: { count: 7, seconds: 1 },
  },
  features: ['edit', 'actions', 'typing'],
  events: [
    { type: 'message_received', description: 'A message in a chat with the bot.' },
    { type: 'mention', description: 'A message in a team or a group chat that mentions the bot.' },
    { type: 'message_edited', description: 'A message whose text was changed.' },
    { type: 'message_deleted', description: 'A deleted message; its text is not included.' },
    { type: 'reaction_added', description: 'A reaction to a message of the bot; the message is its name.' },
    { type: 'action', description: 'A button of a card; the message is its value.' },
  ],
};
