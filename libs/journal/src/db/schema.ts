import { partitionSignatures, type ServiceSchema } from '#libs/database';
import { Journal1770000000000 } from './1770000000000-journal.js';
import { ProjectHold1795903308637 } from './1795903308637-project-hold.js';
import { MovingReceipts1795914961540 } from './1795914961540-moving-receipts.js';
import { HandOnLease1795921387019 } from './1795921387019-hand-on-lease.js';
import { Process1795927615169 } from './1795927615169-process.js';
import { ForgetLeft1795928000577 } from './1795928000577-forget-left.js';

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

/** Every claim of work asks whether its project is held. */
const asksHolds = 'SELECT ON journal.project_hold';

/** Each process says of which build it is, and forgets those that have ended. */
const saysItsBuild = 'SELECT, INSERT, UPDATE, DELETE ON journal.process';

export const schema: ServiceSchema = {
  name: 'journal',
  entities: [],
  migrations: [
    Journal1770000000000,
    ProjectHold1795903308637,
    MovingReceipts1795914961540,
    HandOnLease1795921387019,
    Process1795927615169,
    ForgetLeft1795928000577,
  ],
  // Nobody changes an entry, and only its age deletes it.
  grants: {
    'webhook-ingress': [
      ...write,
      asksHolds,
      saysItsBuild,
      'SELECT ON journal.entry',
      'SELECT, INSERT, UPDATE ON journal.statistic',
      ...turnDays.map((signature) => `EXECUTE ON FUNCTION ${signature}`),
      'EXECUTE ON FUNCTION journal.forget_left_receipts(text, text, text[])',
    ],
    'adapter-gateway': [
      ...write,
      asksHolds,
      saysItsBuild,
      'UPDATE (state, redriven_at, redriven_by, next_at) ON journal.dead_letter',
    ],
    engine: [
      ...write,
      asksHolds,
      saysItsBuild,
      'SELECT ON journal.entry',
      'UPDATE (state, redriven_at, redriven_by, outcome) ON journal.dead_letter',
    ],
    router: [
      ...write,
      asksHolds,
      saysItsBuild,
      'SELECT, UPDATE (detail) ON journal.entry',
      'SELECT, UPDATE ON journal.dead_letter',
      'SELECT, INSERT, UPDATE, DELETE ON journal.statistic',
      'SELECT, UPDATE ON journal.statistic_mark',
      'SELECT, INSERT ON journal.batch',
      'SELECT, INSERT, UPDATE ON journal.batch_item',
      'EXECUTE ON FUNCTION journal.forget_left(text, text, integer)',
    ],
    'credential-vault': [asksHolds, saysItsBuild],
    'mcp-registry': [asksHolds, saysItsBuild],
    portal: [
      saysItsBuild,
      'SELECT, INSERT, UPDATE, DELETE ON journal.project_hold',
      'SELECT, INSERT, UPDATE, DELETE ON journal.project_peer',
    ],
  },
};
