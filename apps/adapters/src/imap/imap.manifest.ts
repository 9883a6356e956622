import type { Manifest } from '#libs/adapter-sdk';
import { SMTP_MAX_LENGTH } from '../smtp/smtp.manifest.js';

/** Of one mail that an event carries. In base64 and JSON, what one poll answers stays below 4 MiB. */
export const IMAP_MAX_MAIL_BYTES = 1024 * 1024;

/** Of a mail whose attachment is fetched. */
export const IMAP_MAX_FILE_BYTES = 25 * 1024 * 1024;

const encryptions = 'tls (default on port';

export const imapManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'imap',
  name: 'IMAP mailbox (bidirectional)',
  description: 'Reads the mail of any mailbox by IMAP and answers by SMTP.',
  icon: 'mail',
  category: 'communication',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'IMAP_HOST',
      type: 'text',
      label: 'IMAP host',
      maps_to: 'host',
      description: 'For example imap.example.com.',
    },
    {
      key: 'IMAP_PORT',
      type: 'text',
      label: 'IMAP port',
      maps_to: 'port',
      required: false,
      description: 'Default: 993 with encryption tls, otherwise 143.',
    },
    {
      key: 'IMAP_ENCRYPTION',
      type: 'text',
      label: 'IMAP encryption',
      maps_to: 'encryption',
      required: false,
      description: `${encryptions} 993) or starttls (default on other ports). Nothing is sent without encryption.`,
    },
    { key: 'IMAP_USERNAME', type: 'text', label: 'Username', maps_to: 'username' },
    {
      key: 'IMAP_PASSWORD',
      type: 'text',
      label: 'Password',
      maps_to: 'password',
      required: false,
      description: 'An app password, if your provider has them. Either it or an account of OAuth is needed.',
    },
    {
      key: 'IMAP_OAUTH',
      type: 'oauth2',
      label: 'Account of OAuth',
      maps_to: 'access_token',
      required: false,
      description: 'Instead of a password, where the provider wants XOAUTH2. It is used for SMTP as well.',
    },
    {
      key: 'IMAP_FOLDER',
      type: 'text',
      label: 'Folder',
      maps_to: 'folder',
      required: false,
      description: 'Default: INBOX.',
    },
    {
      key: 'IMAP_SMTP_HOST',
      type: 'text',
      label: 'SMTP host',
      maps_to: 'smtp_host',
      required: false,
      description: 'For example smtp.example.com. Without it nothing can be sent.',
    },
    {
      key: 'IMAP_SMTP_PORT',
      type: 'text',
      label: 'SMTP port',
      maps_to: 'smtp_port',
      required: false,
      description: 'Default: 465 with encryption tls, otherwise 587.',
    },
    {
      key: 'IMAP_SMTP_ENCRYPTION',
      type: 'text',
      label: 'SMTP encryption',
      maps_to: 'smtp_encryption',
      required: false,
      description: `${encryptions} 465) or starttls (default on other ports).`,
    },
    {
      key: 'IMAP_SMTP_USERNAME',
      type: 'text',
      label: 'SMTP username',
      maps_to: 'smtp_username',
      required: false,
      description: 'Default: the username of IMAP.',
    },
    {
      key: 'IMAP_SMTP_PASSWORD',
      type: 'text',
      label: 'SMTP password',
      maps_to: 'smtp_password',
      required: false,
      description: 'Default: the password of IMAP.',
    },
    {
      key: 'IMAP_FROM',
      type: 'text',
      label: 'Sender address',
      maps_to: 'from',
      required: false,
      description: 'Default: the username, if it is an address.',
    },
  ],
  setup_instructions: [
    'Enter host, username and password of IMAP and SMTP as your mail provider shows them. If it offers app passwords, use one.',
    'Where the provider takes no passwords (Microsoft 365, Google Workspace), connect an account of OAuth with its scopes for IMAP and SMTP instead.',
    'Press Verify: it says which part is wrong, the host, the login, the folder or SMTP.',
    'Press Fetch messages on the App card. Mail that arrives from then on is read; what is in the folder already stays unread.',
    'Nothing in the mailbox is changed: mails stay unseen, and in their folder.',
  ],
  webhook: { verification: 'adapter', max_body_bytes: 2 * IMAP_MAX_MAIL_BYTES },
  // A mailbox keeps its mail.
  connect: { kind: 'poll' },
  message: { max_length: SMTP_MAX_LENGTH, formats: ['markdown', 'plain'], threads: true, mail: true, lookup: false },
  features: ['files'],
  events: [
    { type: 'email_received', description: 'A mail in the folder.' },
    { type: 'delivery_status', description: 'A report on a sent mail: bounce, deferred, delivered, read, spamreport.' },
  ],
};
