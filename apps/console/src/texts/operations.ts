import { grouped } from '../ui/grouped.js';

/** What the audit log tells of. */
export const auditActions = {
  'agent.created': 'Agent created',
  'agent.changed': 'Agent’s powers changed',
  'agent.deleted': 'Agent deleted',
  'approval.approved': 'Call approved',
  'approval.refused': 'Call refused',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
  'app.text_from_set': 'Who writes an App’s texts',
  'source.trust_set': 'Trust in a source',
  'tool.regraded': 'Tool graded',
  'mcp_server.policy_set': 'Policy of an MCP server',
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
  'sign_in_link.created': 'Sign-in link made',
};

export const operationsTexts = {
  title: 'Operations',
  sections: {
    queues: { label: 'Queues', description: 'How much waits, and for how long. Asked again every few seconds.' },
    'dead-letters': {
      label: 'Dead letters',
      description: 'Messages that could not be worked off. Mend the cause, then send them on their way again.',
    },
    deliveries: {
      label: 'Deliveries',
      description: 'Replies that did not arrive, or of which nobody knows whether they did.',
    },
    refusals: { label: 'Refusals', description: 'Requests to your webhooks that were turned away at the door.' },
    keys: {
      label: 'Encryption keys',
      description: 'Which key wraps what the vault keeps, and how far a change of it is.',
    },
    audit: { label: 'Audit log', description: 'Who changed what in this project and its organization. Kept for good.' },
  },
  keys: {
    title: 'Rotation',
    done: 'Everything is wrapped by the primary key. Any other may be taken out of the ring.',
    left: (done: number, all: number) =>
      `${grouped(done)} of ${grouped(all)} data keys are wrapped by the primary key.`,
    ring: 'Keys',
    primary: 'Primary',
    missing: 'Not in the ring: what it wraps cannot be opened',
    wraps: (count: number) => `wraps ${grouped(count)} data ${count === 1 ? 'key' : 'keys'}`,
  },
  filters: { app: 'App', anyApp: 'All Apps' },
  queues: {
    table: 'Queues',
    columns: {
      queue: 'Queue',
      service: 'Worked off by',
      waiting: 'Waiting',
      active: 'At work',
      delayed: 'Later',
      oldest: 'Oldest waits for',
    },
    silent: 'Of these nothing is known now',
    empty: 'Nothing waits',
    slow: '· stuck?',
    age: (ms: number) => {
      if (ms < 1_000) return `${Math.round(ms)} ms`;
      if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
      return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
    },
  },
  letters: {
    columns: { why: 'Why', stage: 'Where', app: 'App', state: 'State', at: 'Died' },
    stages: {
      verified: 'Signature check',
      parsed: 'Reading',
      routed: 'Routing',
      turn: 'Agent’s turn',
      delivery: 'Delivery',
    },
    states: { open: 'Open', redriving: 'On its way again', redriven: 'Sent again', lost: 'Lost' },
    state: 'State',
    stage: 'Where it died',
    anyStage: 'Anywhere',
    reason: 'Code',
    noReason: 'Nothing was noted',
    redrive: 'Redrive',
    redriveAll: 'Redrive all of these',
    redriveAllQuestion:
      'Every open dead letter that the filter finds goes on where it died, also those further down. What had arrived before arrives no second time.',
    nothingToRedrive: 'There is nothing to redrive.',
    empty: { title: 'No dead letters', text: 'Everything that came in was worked off, or is on its way.' },
    emptyFiltered: { title: 'No dead letter matches', text: 'Loosen a filter, or clear them all.' },
  },
  batch: {
    running: (done: number, total: number) => `Redriving: ${done} of ${total}`,
    finished: (total: number) => `Redrive finished: ${total} ${total === 1 ? 'letter' : 'letters'}`,
    done: (count: number) => `${count} on their way`,
    failed: (count: number) => `${count} failed`,
    cancelled: (count: number) => `${count} left out`,
    cancel: 'Stop',
  },
  deliveries: {
    columns: { text: 'Reply', app: 'App', attempts: 'Tried', at: 'Since' },
    state: 'State',
    states: {
      dead: 'Not delivered',
      unknown: 'Unknown',
      queued: 'Queued',
      sending: 'Sending',
      delivered: 'Delivered',
    },
    redrive: 'Redrive',
    redriveDead: 'It is sent again now.',
    redriveUnknown: 'It may have arrived already: then it arrives a second time.',
    mark: 'Mark as delivered',
    empty: {
      title: (state: string) => `Nothing here: ${state.toLowerCase()}`,
      text: 'Replies that need you show up here. Choose another state to see the others.',
    },
  },
  refusals: {
    columns: { code: 'Why', app: 'App', from: 'From', size: 'Size', at: 'When' },
    bytes: (count: number) => (count < 1_024 ? `${count} B` : `${(count / 1_024).toFixed(1)} KB`),
    empty: { title: 'No refusals', text: 'Every request to a webhook of this project was let in.' },
  },
  audit: {
    action: 'What',
    anyAction: 'Anything',
    actor: 'Who',
    anyActor: 'Anybody',
    subject: 'Of',
    at: 'When',
    request: 'Request',
    field: 'Field',
    empty: { title: 'Nothing yet', text: 'Changes of powers, keys, members and projects are noted here.' },
    emptyFiltered: { title: 'No entry matches', text: 'Loosen a filter, or clear them all.' },
  },
};
