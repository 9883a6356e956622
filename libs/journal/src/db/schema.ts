import type { ServiceSchema } from '#libs/database';
import { JournalEntries1763700000000 } from './1763700000000-journal-entries.js';

export const schema: ServiceSchema = { name: 'journal', entities: [], migrations: [JournalEntries1763700000000] };
