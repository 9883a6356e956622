import type { Manifest } from '#libs/adapter-sdk';

/** UTF-16 code units of text in one comment; GitHub takes 65,536, and a mark has to fit after it. */
const GITHUB_MAX_LENGTH = 65_000;

export const GITHUB_COMMENTS = { maxLength: GITHUB_MAX_LENGTH, asGithub: true };

/** Largest file that is handed out as a document. GitHub itself stops at 100 MB. */
export const GITHUB_MAX_FILE_BYTES = 25 * 1024 * 1024;

export const githubManifest: Manifest = {
  schema_version: '1.0',
  contract: '1',
  slug: 'github',
  name: 'GitHub',
  description:
    'Receives issues, pull requests, discussions, comments and reviews, answers in their threads, and reads repositories as documents.',
  icon: 'github',
  category: 'productivity',
  capabilities: ['send', 'receive'],
  credentials: [
    {
      key: 'GITHUB_TOKEN',
      type: 'api_key',
      label: 'Access token',
      maps_to: 'token',
      required: false,
      description: 'A fine-grained personal access token or an installation token. Not needed with a GitHub App.',
    },
    {
      key: 'GITHUB_WEBHOOK_SECRET',
      type: 'text',
      label: 'Webhook secret',
      maps_to: 'signing_secret',
      description: 'You choose it and enter it at GitHub. Without it nothing can be received.',
    },
    { key: 'GITHUB_APP_ID', type: 'text', label: 'App id', maps_to: 'app_id', required: false },
    {
      key: 'GITHUB_APP_PRIVATE_KEY',
      type: 'text',
      label: 'Private key of the app (PEM)',
      maps_to: 'private_key',
      required: false,
    },
    {
      key: 'GITHUB_INSTALLATION_ID',
      type: 'text',
      label: 'Installation id',
      maps_to: 'installation_id',
      required: false,
    },
    {
      key: 'GITHUB_WEBHOOK_OF',
      type: 'text',
      label: 'Whose webhook it is',
      maps_to: 'webhook_of',
      required: false,
      description:
        'owner/repository, or the organization. With it and the permission to read and write webhooks, what was missed in an outage is sent again; a GitHub App needs neither.',
    },
  ],
  setup_instructions: [
    'Either create a fine-grained personal access token, or create a GitHub App, install it and note its app id, its installation id and a private key.',
    'Permissions: issues and pull requests read and write to answer, contents read for documents, metadata read; discussions read and write to answer those.',
    'Choose a webhook secret, for example the output of: openssl rand -hex 32',
    'Add a webhook to the repository, the organization or the app: the Webhook URL of the App card, content type application/json, the secret.',
    'Select the events issues, issue comments, pull requests, pull request reviews, pull request review comments and pushes; also workflow runs, check runs, releases, deployment statuses, discussions, discussion comments, commit comments, alerts and repositories, if agents or triggers are to read them.',
    'The path of a document source is owner/repository, optionally with @branch and :folder, for example octo/handbook@main:guides.',
  ],
  webhook: {
    verification: {
      scheme: 'hmac',
      header: 'x-hub-signature-256',
      algorithm: 'sha256',
      encoding: 'hex',
      prefix: 'sha256=',
      secret_fields: ['signing_secret'],
    },
    // GitHub caps a payload at 25 MB.
    max_body_bytes: 25 * 1024 * 1024,
    delivery_id_header: 'x-github-delivery',
    missed_since: true,
  },
  message: {
    max_length: GITHUB_MAX_LENGTH,
    formats: ['markdown', 'plain', 'native'],
    threads: true,
    lookup: true,
  },
  features: ['edit', 'reactions'],
  sources: { max_file_bytes: GITHUB_MAX_FILE_BYTES },
  events: [
    {
      type: 'issue_opened',
      description: 'An issue with its title and body.',
      sample: {
        action: 'opened',
        issue: {
          id: 1,
          node_id: 'I_sample',
          number: 1,
          title: 'It fails',
          body: 'Every time.',
          user: { login: 'octocat', id: 1, type: 'User' },
        },
        repository: { full_name: 'octocat/hello-world' },
        sender: { login: 'octocat', id: 1, type: 'User' },
      },
      sample_headers: { 'x-github-event': 'issues' },
    },
    { type: 'issue_closed', description: 'Also issue_reopened, issue_assigned and issue_labeled.' },
    { type: 'issue_comment', description: 'A comment on an issue or on the conversation of a pull request.' },
    { type: 'pull_request_opened', description: 'A pull request with its title and body.' },
    {
      type: 'pull_request_closed',
      description: 'Also pull_request_reopened, pull_request_ready, pull_request_updated and review_requested.',
    },
    { type: 'review_submitted', description: 'A review with its verdict.' },
    { type: 'review_comment', description: 'A comment on a line of a pull request.' },
    { type: 'message_edited', description: 'A changed title, body or comment.' },
    { type: 'message_deleted', description: 'A deleted comment; its text is not included.' },
    {
      type: 'workflow_run_completed',
      description: 'A workflow that has ended, with its result; check_run_completed alike.',
    },
    { type: 'check_run_completed', description: 'A check that has ended, with its result and its summary.' },
    { type: 'release_published', description: 'A release with its notes.' },
    { type: 'deployment_status', description: 'What became of a deployment.' },
    { type: 'discussion_created', description: 'A discussion; also discussion_answered.' },
    { type: 'discussion_comment', description: 'A comment on a discussion.' },
    { type: 'commit_comment', description: 'A comment on a commit.' },
    {
      type: 'alert_created',
      description:
        'An alert of a dependency, of the code or of a secret; also alert_fixed, alert_dismissed and the like.',
    },
    { type: 'repository_renamed', description: 'The repository has another name.' },
    { type: 'push', description: 'Commits on a branch; the message has the commit messages.' },
  ],
};
