import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units of text in one mail: about 2 MB with its HTML, below what servers refuse. */
export const SMTP_MAX_LENGTH = 500_000;

export const smtpManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'smtp',
  name: 'SMTP (outbound)',
  description: 'Sends mail through any SMTP server.',
  icon: 'mail',
  category: 'communication',
  capabilities: ['send'],
  credentials: [
    { key: 'SMTP_HOST', type: 'text', label: 'Host', maps_to: 'host', description: 'For example smtp.example.com.' },
    {
      key: 'SMTP_PORT',
      type: 'text',
      label: 'Port',
      maps_to: 'port',
      required: false,
      description: 'Default: 465 with encryption tls, otherwise 587.',
    },
    {
      key: 'SMTP_USERNAME',
      type: 'text',
      label: 'Username',
      maps_to: 'username',
      required: false,
      description: 'Without it, no authentication is tried.',
    },
    { key: 'SMTP_PASSWORD', type: 'text', label: 'Password', maps_to: 'password', required: false },
    {
      key: 'SMTP_ENCRYPTION',
      type: 'text',
      label: 'Encryption',
      maps_to: 'encryption',
      required: false,
      description:
        'tls (default on port 465), starttls (default on other ports) or none. With none, a password is never sent.',
    },
    {
      key: 'SMTP_FROM',
      type: 'text',
      label: 'Sender address',
      maps_to: 'from',
      required: false,
      description: 'Default: the username, if it is an address.',
    },
  ],
  setup_instructions: [
    'Enter host, port, username and password as your mail provider shows them. If it offers app passwords, use one.',
    'The sender address must be one from which the server lets this user send.',
    'Answers to these mails arrive in the mailbox of the sender address. To receive mail in Gatehouse, use another adapter.',
  ],
  message: {
    max_length: SMTP_MAX_LENGTH,
    formats: ['markdown', 'plain'],
    threads: true,
    mail: true,
    lookup: false,
  },
  features: ['files'],
};
