import { grouped } from '../ui/grouped.js';

/** Entries of the audit log. */
export const auditActions = {
  'agent.created': 'Agent created',
  'agent.changed': 'Agent’s powers changed',
  'agent.deleted': 'Agent deleted',
  'approval.approved': 'Call approved',
  'approval.refused': 'Call refused',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'app.text_from_set': 'Author of an App’s texts set',
  'source.trust_set': 'Trust in a source set',
  'tool.regraded': 'Tool regraded',
  'mcp_server.policy_set': 'Policy of an MCP server set',
  'member.added': 'Member invited',
  'member.changed': 'Member changed',
  'member.removed': 'Member removed',
  'organization.created': 'Organization created',
  'organization.renamed': 'Organization renamed',
  'project.created': 'Project created',
  'project.renamed': 'Project renamed',
  'project.limits_set': 'Limits of a project set',
  'project.closed': 'Project closed',
  'project.reopened': 'Project reopened',
  'session.started': 'Signed in',
  'session.revoked': 'Session ended',
  'sign_in_link.created': 'Sign-in link created',
};

export const operationsTexts = {
  title: 'Operations',
  sections: {
    queues: { label: 'Queues', description: 'How much waits, and for how long. Refreshed every few seconds.' },
    'dead-letters': {
      label: 'Dead letters',
      description: 'Messages that could not be processed. Fix the cause, then redrive them.',
    },
    deliveries: {
      label: 'Deliveries',
      description: 'Replies that were not delivered, or may not have been.',
    },
    refusals: { label: 'Refusals', description: 'Requests to your webhooks that were refused.' },
    keys: {
      label: 'Encryption keys',
      description: 'Which key wraps the vault’s data keys, and how far a rotation is.',
    },
    audit: { label: 'Audit log', description: 'Who changed what in this project and its organization. Kept for good.' },
  },
  keys: {
    title: 'Rotation',
    done: 'All data keys are wrapped by the primary key. Any other key may be removed from the ring.',
    left: (done: number, all: number) =>
      `${grouped(done)} of ${grouped(all)} data keys are wrapped by the primary key.`,
    ring: 'Keys',
    primary: 'Primary',
    missing: 'Not in the ring: what it wraps cannot be decrypted',
    wraps: (count: number) => `wraps ${grouped(count)} data ${count === 1 ? 'key' : 'keys'}`,
  },
  filters: { app: 'App', anyApp: 'All Apps' },
  queues: {
    table: 'Queues',
    columns: {
      queue: 'Queue',
      service: 'Service',
      waiting: 'Waiting',
      active: 'Active',
      delayed: 'Delayed',
      oldest: 'Oldest wait',
    },
    silent: 'No data from these services',
    empty: 'Nothing waits',
    slow: '· stuck?',
    age: (ms: number) => {
      if (ms < 1_000) return `${Math.round(ms)} ms`;
      if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
      return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
    },
  },
  letters: {
    columns: { why: 'Why', stage: 'Stage', app: 'App', state: 'State', at: 'Failed' },
    stages: {
      verified: 'Signature check',
      parsed: 'Parsing',
      routed: 'Routing',
      turn: 'Agent’s turn',
      delivery: 'Delivery',
    },
    states: { open: 'Open', redriving: 'Redriving', redriven: 'Redriven', lost: 'Lost' },
    state: 'State',
    stage: 'Stage',
    anyStage: 'Any stage',
    reason: 'Code',
    noReason: 'No reason recorded',
    redrive: 'Redrive',
    redriveAll: 'Redrive all of these',
    redriveAllQuestion:
      'Every open dead letter that matches the filter continues from where it failed, including those not loaded yet. What had already arrived is not sent again.',
    nothingToRedrive: 'There is nothing to redrive.',
    empty: { title: 'No dead letters', text: 'Everything that came in was processed, or is in progress.' },
    emptyFiltered: { title: 'No dead letter matches', text: 'Change or clear the filters.' },
  },
  batch: {
    running: (done: number, total: number) => `Redriving: ${done} of ${total}`,
    finished: (total: number) => `Redrive finished: ${total} dead ${total === 1 ? 'letter' : 'letters'}`,
    done: (count: number) => `${count} redriven`,
    failed: (count: number) => `${count} failed`,
    cancelled: (count: number) => `${count} skipped`,
    cancel: 'Stop',
  },
  deliveries: {
    columns: { text: 'Reply', app: 'App', attempts: 'Attempts', at: 'Since', next: 'Next attempt' },
    state: 'State',
    states: {
      dead: 'Not delivered',
      unknown: 'Unknown',
      expired: 'Too late',
      queued: 'Waiting',
      sending: 'Sending',
      delivered: 'Delivered',
    },
    redrive: 'Redrive',
    redriveDead: 'It is sent again now.',
    redriveUnknown: 'It may have arrived already. Then it arrives twice.',
    mark: 'Mark as delivered',
    empty: {
      title: (state: string) => `No replies in the state “${state}”`,
      text: 'Replies that need attention appear here. Choose another state to see others.',
    },
  },
  refusals: {
    columns: { code: 'Why', app: 'App', from: 'From', size: 'Size', at: 'When' },
    bytes: (count: number) => (count < 1_024 ? `${count} B` : `${(count / 1_024).toFixed(1)} KB`),
    empty: { title: 'No refusals', text: 'Every request to a webhook of this project was accepted.' },
  },
  audit: {
    action: 'What',
    anyAction: 'Any action',
    actor: 'Who',
    anyActor: 'Anybody',
    subject: 'Subject',
    at: 'When',
    request: 'Request',
    field: 'Field',
    empty: { title: 'No entries yet', text: 'Changes to powers, keys, members and projects are recorded here.' },
    emptyFiltered: { title: 'No entry matches', text: 'Change or clear the filters.' },
  },
};
