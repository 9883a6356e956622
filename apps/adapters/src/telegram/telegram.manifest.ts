import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units in one message, counted after Telegram has parsed its entities. */
export const TELEGRAM_MAX_LENGTH = 4_096;

export const telegramManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'telegram',
  name: 'Telegram',
  description: 'Receives messages, commands and button presses of a Telegram bot and answers in its chats and topics.',
  icon: 'telegram',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'TELEGRAM_BOT_TOKEN',
      type: 'api_key',
      label: 'Bot token',
      maps_to: 'token',
      description: 'From @BotFather, in the form 123456789:AA...',
    },
    {
      key: 'TELEGRAM_SECRET_TOKEN',
      type: 'text',
      label: 'Secret token of the webhook',
      maps_to: 'signing_secret',
      required: false,
      description:
        'For the webhook: 1 to 256 letters, digits, _ and -, chosen by you. Without it nothing is received by webhook.',
    },
    {
      key: 'TELEGRAM_HEARS',
      type: 'text',
      label: 'What it hears in groups',
      maps_to: 'hears',
      required: false,
      description:
        'mentions: in groups only messages that mention the bot, or answer one of its own. Without it, all messages.',
    },
  ],
  setup_instructions: [
    'Create a bot with @BotFather (/newbot) and copy its token into the credentials.',
    'Without a public address: choose Fetch messages on the App card, and you are done. Otherwise go on with the webhook.',
    'Choose a secret token, for example the output of: openssl rand -hex 32',
    'Tell Telegram: curl https://api.telegram.org/bot<token>/setWebhook -d url=<Webhook URL of the App card> -d secret_token=<secret token> -d \'allowed_updates=["message","edited_message","channel_post","edited_channel_post","business_message","edited_business_message","callback_query","message_reaction"]\'',
    'To read every message of a group, switch privacy mode off with /setprivacy and add the bot to the group again.',
  ],
  webhook: { verification: 'adapter', missed_since: true },
  // Telegram keeps updates for a day.
  connect: { kind: 'poll', keeps_seconds: 86_400 },
  message: {
    max_length: TELEGRAM_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    // Telegram has no look-up of sent messages.
    lookup: false,
    // A group takes 20 messages a minute, a private chat one a second; an address does not tell which of the two it is.
    rate_per_address: { count: 20, seconds: 60 },
  },
  features: ['edit', 'actions', 'files', 'reactions', 'typing'],
  events: [
    { type: 'message_received', description: 'A message in a private chat, a group or a channel.' },
    { type: 'mention', description: 'A message in a group that mentions the bot or answers it.' },
    { type: 'command', description: 'A message that starts with a command, for example /start.' },
    { type: 'message_edited', description: 'A message that was changed.' },
    { type: 'action', description: 'A press of an inline button; the message is its data.' },
    { type: 'reaction_added', description: 'An emoji reaction to a message; the message is the emoji.' },
  ],
};
