import { partitionSignatures, type ServiceSchema } from '#libs/database';
import { Journal1770000000000 } from './1770000000000-journal.js';

/** The rights to write an entry, and a dead letter, which is stored once. */
const write = [
  'INSERT ON journal.entry',
  'INSERT, SELECT (id, receipt_id, stage, subject_id, state, organization_id, project_id) ON journal.dead_letter',
];
const turnDays = [
  ...partitionSignatures('journal.entry'),
  'journal.forget_before(timestamptz)',
  'journal.forget_receipts(text, text[], timestamptz)',
];

export const schema: ServiceSchema = {
  name: 'journal',
  entities: [],
  migrations: [Journal1770000000000],
  // Nobody changes an entry, and only its age deletes it.
  grants: {
    'webhook-ingress': [
      ...write,
      'SELECT ON journal.entry',
      'SELECT, INSERT, UPDATE ON journal.statistic',
      ...turnDays.map((signature) => `EXECUTE ON FUNCTION ${signature}`),
    ],
    'adapter-gateway': [...write, 'UPDATE (state, redriven_at, redriven_by, next_at) ON journal.dead_letter'],
    engine: [
      ...write,
      'SELECT ON journal.entry',
      'UPDATE (state, redriven_at, redriven_by, outcome) ON journal.dead_letter',
    ],
    router: [
      ...write,
      'SELECT, UPDATE (detail) ON journal.entry',
      'SELECT, UPDATE ON journal.dead_letter',
      'SELECT, INSERT, UPDATE, DELETE ON journal.statistic',
      'SELECT, UPDATE ON journal.statistic_mark',
      'SELECT, INSERT ON journal.batch',
      'SELECT, INSERT, UPDATE ON journal.batch_item',
    ],
  },
};
