import type { Manifest } from '#libs/adapter-sdk';

/** Characters of one message. Source: https://docs.discord.com/developers/resources/message#create-message */
export const DISCORD_MAX_LENGTH = 2_000;

export const discordManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'discord',
  name: 'Discord (bidirectional)',
  description: 'Receives slash commands and button presses of a Discord app and answers in its channels.',
  icon: 'chat',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'DISCORD_BOT_TOKEN',
      type: 'api_key',
      label: 'Bot token',
      maps_to: 'token',
      description: 'Under Bot of the app.',
    },
    {
      key: 'DISCORD_APPLICATION_ID',
      type: 'text',
      label: 'Application ID',
      maps_to: 'application_id',
      description: 'Under General Information of the app.',
    },
    {
      key: 'DISCORD_PUBLIC_KEY',
      type: 'text',
      label: 'Public key',
      maps_to: 'public_key',
      description: 'Under General Information of the app. Without it nothing can be received.',
    },
  ],
  setup_instructions: [
    'Create an app at https://discord.com/developers/applications and copy bot token, application ID and public key into the credentials.',
    'Set the Webhook URL of the App card as Interactions Endpoint URL under General Information; Discord tries it at once, so link the credentials first.',
    'Register a command: curl -X PUT https://discord.com/api/v10/applications/<application ID>/commands -H "Authorization: Bot <bot token>" -H "Content-Type: application/json" -d \'[{"name":"ask","description":"Ask the agent","options":[{"type":3,"name":"question","description":"What to ask","required":true}]}]\'',
    'Install the app to a server with the scopes bot and applications.commands, and the permissions Send Messages, Attach Files and Add Reactions.',
  ],
  webhook: {
    verification: {
      scheme: 'ed25519',
      header: 'x-signature-ed25519',
      timestamp_header: 'x-signature-timestamp',
      signed_text: '{timestamp}{body}',
      secret_fields: ['public_key'],
    },
    handshake: { method: 'POST', match: { pointer: '/type', equals: '1' }, respond: { fixed: '{"type":1}' } },
    // The answer follows later: until then Discord shows that the app thinks.
    ack: { status: 200, body: { type: 5 } },
  },
  message: {
    max_length: DISCORD_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: false,
    max_attachment_bytes: 10 * 1024 * 1024,
    lookup: false,
    rate_per_address: { count: 5, seconds: 5 },
  },
  features: ['edit', 'actions', 'files', 'reactions', 'typing'],
  events: [
    { type: 'command', description: 'A slash command with its options, or one on a message or a person.' },
    { type: 'action', description: 'A button or a menu; the message is its value.' },
  ],
};
