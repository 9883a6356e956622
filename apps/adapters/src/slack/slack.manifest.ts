import type { Manifest } from '#libs/adapter-sdk';

/**
 * UTF-16 code units in one posted text. Slack recommends 4,000 and cuts at 40,000; below the recommendation it shows a
 * text as one message.
 */
export const SLACK_MAX_LENGTH = 3_900;

export const slackManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'slack',
  name: 'Slack',
  description:
    'Receives messages, mentions, commands and button presses of a Slack workspace and answers in its threads.',
  icon: 'slack',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'SLACK_BOT_TOKEN',
      type: 'api_key',
      label: 'Bot User OAuth Token',
      maps_to: 'token',
      description: 'Starts with xoxb-. Found under OAuth & Permissions of the Slack app.',
    },
    {
      key: 'SLACK_SIGNING_SECRET',
      type: 'text',
      label: 'Signing secret',
      maps_to: 'signing_secret',
      required: false,
      description:
        'For webhooks. Found under Basic Information of the Slack app. Without it nothing is received by webhook.',
    },
    {
      key: 'SLACK_APP_TOKEN',
      type: 'text',
      label: 'App-level token',
      maps_to: 'app_token',
      required: false,
      description: 'For Socket Mode, without a public address. Starts with xapp-, has the scope connections:write.',
    },
    {
      key: 'SLACK_HEARS',
      type: 'text',
      label: 'What it hears in channels',
      maps_to: 'hears',
      required: false,
      description:
        'mentions: in channels only messages that mention the bot, or answer one of its own. Without it, all messages.',
    },
  ],
  setup_instructions: [
    'Create a Slack app at https://api.slack.com/apps and install it to the workspace.',
    'Bot token scopes: chat:write, files:write, reactions:write, app_mentions:read, commands; channels:history, groups:history, im:history and mpim:history for the conversations that it reads; files:read for files in them; users:read, channels:read and groups:read for the names of people and channels.',
    'Copy the Bot User OAuth Token into the credentials.',
    'Without a public address: generate an App-Level Token with the scope connections:write under Basic Information, copy it into the credentials too, switch Socket Mode on, press Verify, and choose Fetch messages on the App card.',
    'With one: copy the Signing Secret into the credentials and press Verify. Set the Webhook URL of the App card as Request URL of Event Subscriptions, of Interactivity and of each slash command.',
    'Subscribe to the bot events app_mention, message.channels, message.groups, message.im, message.mpim and reaction_added.',
    'Invite the bot to its channels: /invite @name.',
  ],
  webhook: {
    verification: 'adapter',
    handshake: {
      method: 'POST',
      match: { pointer: '/type', equals: 'url_verification' },
      respond: { pointer: '/challenge' },
    },
    // Slack shows a body as the answer to a slash command, and reads one as instructions for a dialog.
    ack: { status: 200, body: '' },
  },
  // An event is tried at once, after a minute and after five more; commands and buttons are not tried again.
  connect: { kind: 'socket', keeps_seconds: 360 },
  message: {
    max_length: SLACK_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    lookup: true,
    // What Slack allows in one channel; more comes back as 429.
    rate_per_address: { count: 1, seconds: 1 },
  },
  features: ['edit', 'actions', 'files', 'reactions'],
  events: [
    { type: 'message_received', description: 'A message in a channel or a direct message.' },
    { type: 'mention', description: 'A message in a channel that mentions the bot.' },
    { type: 'message_edited', description: 'A message whose text was changed.' },
    { type: 'message_deleted', description: 'A deleted message; its text is not included.' },
    { type: 'reaction_added', description: 'An emoji on a message; the message is its name, for example :thumbsup:.' },
    { type: 'command', description: 'A slash command with its arguments.' },
    { type: 'action', description: 'A button, menu, dialog or shortcut.' },
  ],
};
