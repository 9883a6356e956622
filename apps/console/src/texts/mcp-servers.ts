import { named } from '../drawn/drawn-text.js';
import { own } from '../own.js';

export const mcpTexts = {
  title: 'MCP servers',
  description:
    'Their tools become tools of agents. Approved definitions are pinned: a change waits until somebody reviews it.',
  columns: { name: 'Name', url: 'URL', health: 'State', tools: 'Tools', checked: 'Last checked' },
  health: {
    reachable: 'Reachable',
    drifted: 'Changed',
    auth_failed: 'Access denied',
    degraded: 'Degraded',
  },
  whatToDo: {
    drifted: 'Review what changed below: until then agents have the definition that was approved, or none.',
    auth_failed: 'Calls of its tools fail. Connect it again, or replace the token in its credential.',
    degraded: 'Calls of its tools fail. See whether it runs; it is asked again by itself.',
  },
  count: (counts: Record<string, number>) => {
    const words: [string, string][] = [
      ['approved', 'approved'],
      ['pending', 'new'],
      ['changed', 'changed'],
      ['quarantined', 'quarantined'],
      ['removed', 'removed'],
    ];
    return (
      words
        .filter(([state]) => (own(counts, state) ?? 0) > 0)
        .map(([state, word]) => `${own(counts, state)} ${word}`)
        .join(', ') || 'None'
    );
  },
  empty: { title: 'No MCP servers yet', text: 'Register one by its URL. Its tools are listed at once.' },
  register: 'Register a server',
  registerAction: 'Register',
  fields: {
    url: 'URL',
    urlHint: 'The URL of its streamable HTTP or SSE endpoint.',
    name: 'Name',
    nameHint: 'Leave empty to use its host.',
    auth: 'Authentication',
    modes: { none: 'None', bearer: 'Bearer token', header: 'A header', oauth: 'OAuth, by consent' },
    credential: 'Credential',
    credentialHint: 'From the vault. Its token is sent only to this server.',
    noCredentials: 'No credential fits. Create one under Credentials first.',
    header: 'Header',
    clientId: 'Client ID',
    clientHint: 'Leave empty to register a client automatically.',
    clientSecret: 'Client secret',
    policy: 'When the server changes a tool',
    policies: {
      block: 'Wait for approval',
      warn: 'Accept and warn',
      auto: 'Accept',
    },
    trust: 'How far its results are trusted',
    trusts: {
      untrusted: 'Untrusted: anybody may have written them',
      partner: 'A partner: known, and trusted not to mislead agents',
      own: 'Your own: as your own words',
    },
    trustHints: {
      untrusted:
        'With them in a conversation, agents go on reading by themselves, and ask before they change anything.',
      partner:
        'With them in a conversation, agents read and write by themselves, and ask before they destroy anything.',
      own: 'They limit nothing. A hostile text among them could make an agent do whatever it may do.',
    },
    trustLacks: 'Trusting more needs approvals:manage, which only owners have.',
    recommended: (trust: string, why: string) => `Recommended: ${trust}. ${named(why)}`,
    sessions: 'Sessions at the server',
    sessionsHint: 'What a server keeps between calls: an open page, a login, a cart.',
    sessionChoices: {
      conversation: 'Each conversation has its own',
      shared: 'One for all conversations',
    },
    sharedWarning:
      'What one contact does there, others can read and change: a page, a login, a cart. Share it only if the server ' +
      'keeps nothing personal, or allows only one session.',
    policyLacks: 'Accepting changes without approval needs approvals:manage, which only owners have.',
  },
  tabs: { tools: 'Tools', settings: 'Settings' },
  facts: 'Details',
  transport: 'Transport',
  protocol: 'Revision of MCP',
  openCalls: {
    title: 'Calls that wait',
    columns: { tool: 'Tool', waits: 'Waits', contact: 'Contact', since: 'Since', until: 'At most until' },
    nobody: 'Nobody',
    states: {
      asking: 'to ask the contact',
      asked: 'for the contact',
      answered: 'to send the answer',
      sending: 'for the server, which has the answer',
      task: 'for a task of the server',
    } as Record<string, string>,
  },
  holds: 'Its list is fresh for',
  holdsUnsaid: 'The server does not say',
  nextListing: 'Asked again',
  server: 'Calls itself',
  auth: 'Authentication',
  policy: 'Changed tools',
  skill: 'Its Skill',
  openSkill: 'Open the Skill that bundles its tools',
  checked: 'Last checked',
  why: 'Why',
  discover: 'Refresh tools',
  connect: 'Connect',
  connectHint: 'It asks for consent. Its page opens in this tab and returns here.',
  looking: 'Listing its tools …',
  waiting: 'Waits for approval',
  waitingHint: 'Models get nothing of this until it is approved.',
  tools: 'Its tools',
  openTool: 'Open the tool',
  noTools: { title: 'It offers no tools', text: 'Refresh the tools once it does.' },
  toolColumns: { name: 'Name', description: 'What it does', grade: 'Grade', state: 'State' },
  remove: 'Remove',
  removeQuestion: 'Its tools and its Skill are removed too. This fails while agents have the Skill.',
  palette: { search: 'MCP servers' },
};
