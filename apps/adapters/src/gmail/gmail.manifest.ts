import type { Manifest } from '#libs/adapter-sdk';

/**
 * UTF-16 code units of text in one mail: about 4 MB with its HTML in base64, below the 5 MB of a plain send request.
 */
export const GMAIL_MAX_LENGTH = 500_000;

/** Encoded twice, as MIME and in JSON: with the text below the 5 MB of a plain send request. */
const GMAIL_MAX_ATTACHMENT_BYTES = 2_000_000;

export const GMAIL_MAX_FILE_BYTES = 25 * 1024 * 1024;

export const gmailManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'gmail',
  name: 'Gmail (bidirectional)',
  description: 'Reads and answers the mail of one Gmail mailbox.',
  icon: 'mail',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'GMAIL_OAUTH',
      type: 'oauth2',
      label: 'Google account',
      maps_to: 'access_token',
      description: 'The platform asks for consent and refreshes the token.',
    },
    {
      key: 'GMAIL_PUSH_AUDIENCE',
      type: 'text',
      label: 'Audience of the push subscription',
      maps_to: 'pubsub_audience',
      required: false,
      description: 'As set in the Pub/Sub subscription. Without it nothing can be received.',
    },
    {
      key: 'GMAIL_PUSH_SERVICE_ACCOUNT',
      type: 'text',
      label: 'Service account of the push subscription',
      maps_to: 'pubsub_service_account',
      required: false,
      description: 'Its mail address. Without it nothing can be received.',
    },
    {
      key: 'GMAIL_PUSH_TOPIC',
      type: 'text',
      label: 'Topic of the pushes',
      maps_to: 'pubsub_topic',
      required: false,
      description: 'projects/<project>/topics/<topic>. With it the platform calls users.watch every day.',
    },
    {
      key: 'GMAIL_FROM',
      type: 'text',
      label: 'Send as',
      maps_to: 'from',
      required: false,
      description: 'A verified alias of the mailbox. Default: its own address.',
    },
  ],
  oauth_config: {
    authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_url: 'https://oauth2.googleapis.com/token',
    revocation_url: 'https://oauth2.googleapis.com/revoke',
    issuer: 'https://accounts.google.com',
    scopes: ['https://www.googleapis.com/auth/gmail.readonly', 'https://www.googleapis.com/auth/gmail.send'],
    scope_separator: ' ',
    pkce: true,
    token_auth_method: 'client_secret_post',
    // Google gives a refresh token only for offline access, and on later consents only when forced.
    extra_authorize_params: { access_type: 'offline', prompt: 'consent' },
    quirks: {
      refresh_token_only_on_consent: true,
      refresh_token_not_rotated: true,
      // With a consent screen in testing, the refresh token expires after this many days.
      testing_refresh_token_days: 7,
    },
  },
  setup_instructions: [
    'In a Google Cloud project, enable the Gmail API and Pub/Sub, and create an OAuth client of type Web application.',
    'Connect the Google account with it.',
    'Create a Pub/Sub topic to which gmail-api-push@system.gserviceaccount.com may publish.',
    'Create a push subscription to the Webhook URL of the App card, with authentication by a service account. Enter audience and account in the credentials.',
    'Enter the topic in the credentials: the platform then calls users.watch every day, because Gmail stops pushing after seven days. Without a topic, call users.watch for the labels INBOX and SENT yourself.',
  ],
  // users.watch expires after seven days; Google advises to call it every day.
  webhook: { verification: 'adapter', ack: { status: 204 }, renew_seconds: 86_400 },
  message: {
    max_length: GMAIL_MAX_LENGTH,
    formats: ['markdown', 'plain'],
    threads: true,
    mail: true,
    max_attachment_bytes: GMAIL_MAX_ATTACHMENT_BYTES,
    lookup: true,
  },
  features: ['files'],
  events: [
    { type: 'mailbox_changed', description: 'Something changed in the mailbox; the event has its history id.' },
    { type: 'email_received', description: 'A mail, from a message resource or found through a change.' },
    { type: 'delivery_status', description: 'A report on a sent mail: bounce, deferred, delivered, read, spamreport.' },
  ],
  sources: { max_file_bytes: GMAIL_MAX_FILE_BYTES },
};
