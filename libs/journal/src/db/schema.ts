import { partitionSignatures, type ServiceSchema } from '#libs/database';
import { JournalEntries1763700000000 } from './1763700000000-journal-entries.js';
import { DeadLettersAndBatches1763910000000 } from './1763910000000-dead-letters-and-batches.js';
import { BatchKeys1764400000000 } from './1764400000000-batch-keys.js';
import { RedriveErrors1764600000820 } from './1764600000820-redrive-errors.js';
import { PartitionFunctions1764700000100 } from './1764700000100-partition-functions.js';
import { ForgetReceipts1765000000200 } from './1765000000200-forget-receipts.js';
import { Statistics1764800000960 } from './1764800000960-statistics.js';

/** What it takes to write an entry, with a dead letter that is kept once. */
const write = [
  'INSERT ON journal.entry',
  'INSERT, SELECT (receipt_id, stage, subject_id, state, organization_id, project_id) ON journal.dead_letter',
];
const turnDays = [
  ...partitionSignatures('journal.entry'),
  'journal.forget_before(timestamptz)',
  'journal.forget_receipts(text, text[], timestamptz)',
];

export const schema: ServiceSchema = {
  name: 'journal',
  entities: [],
  migrations: [
    JournalEntries1763700000000,
    DeadLettersAndBatches1763910000000,
    BatchKeys1764400000000,
    RedriveErrors1764600000820,
    PartitionFunctions1764700000100,
    Statistics1764800000960,
    ForgetReceipts1765000000200,
  ],
  // An entry is changed by nobody, and deleted by its age alone.
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
      'SELECT ON journal.entry',
      'SELECT, UPDATE ON journal.dead_letter',
      'SELECT, INSERT, UPDATE, DELETE ON journal.statistic',
      'SELECT, UPDATE ON journal.statistic_mark',
      'SELECT, INSERT ON journal.batch',
      'SELECT, INSERT, UPDATE ON journal.batch_item',
    ],
  },
};
