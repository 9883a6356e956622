import type { Manifest } from '#libs/adapter-sdk';

/** Characters of one message. Source: https://docs.discord.com/developers/resources/message#create-message */
export const DISCORD_MAX_LENGTH = 2_000;

export const discordManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'discord',
  name: 'Discord (bidirectional)',
  description:
    'Receives messages of a Discord bot, slash commands and button presses, and answers in its channels and direct messages.',
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
      required: false,
      description: 'For webhooks. Under General Information of the app.',
    },
    {
      key: 'DISCORD_PUBLIC_KEY',
      type: 'text',
      label: 'Public key',
      maps_to: 'public_key',
      required: false,
      description: 'For webhooks. Under General Information of the app. Without it nothing is received by webhook.',
    },
    {
      key: 'DISCORD_HEARS',
      type: 'text',
      label: 'What it hears in servers',
      maps_to: 'hears',
      required: false,
      description:
        'mentions: in servers only messages that mention the bot, or answer one of its own. Without it, all messages.',
    },
  ],
  setup_instructions: [
    'Create an app at https://discord.com/developers/applications. Under Bot, copy the token into the credentials.',
    'Under Installation, install the app to a server with the scopes bot and applications.commands, and the permissions View Channels, Send Messages, Read Message History, Attach Files and Add Reactions.',
    'For messages, without a public address: switch Message Content Intent on under Bot (not needed where it hears mentions only), press Verify, choose Fetch messages on the App card, and you are done. Leave Interactions Endpoint URL empty: commands and buttons come the same way.',
    'For commands and buttons alone, by webhook: copy application ID and public key into the credentials too, and set the Webhook URL of the App card as Interactions Endpoint URL under General Information. Discord tries it at once, so link the credentials first.',
    'Register a command: curl -X PUT https://discord.com/api/v10/applications/<application ID>/commands -H "Authorization: Bot <bot token>" -H "Content-Type: application/json" -d \'[{"name":"ask","description":"Ask the agent","options":[{"type":3,"name":"question","description":"What to ask","required":true}]}]\'',
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
  // How long Discord keeps a session is not documented: it says when one has ended.
  connect: { kind: 'socket' },
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
    { type: 'message_received', description: 'A message in a channel or a direct message.' },
    { type: 'mention', description: 'A message in a server that mentions the bot or answers it.' },
    { type: 'message_edited', description: 'A message whose text was changed.' },
    { type: 'reaction_added', description: 'An emoji on a message; the message is the emoji.' },
    { type: 'command', description: 'A slash command with its options, or one on a message or a person.' },
    { type: 'action', description: 'A button or a menu; the message is its value.' },
  ],
};
