import type { ServiceSchema } from '#libs/database';
import { JournalEntries1763700000000 } from './1763700000000-journal-entries.js';
import { DeadLettersAndBatches1763910000000 } from './1763910000000-dead-letters-and-batches.js';
import { BatchKeys1764400000000 } from './1764400000000-batch-keys.js';
import { RedriveErrors1764600000820 } from './1764600000820-redrive-errors.js';

export const schema: ServiceSchema = {
  name: 'journal',
  entities: [],
  migrations: [
    JournalEntries1763700000000,
    DeadLettersAndBatches1763910000000,
    BatchKeys1764400000000,
    RedriveErrors1764600000820,
  ],
};
