import type { ServiceSchema } from '#libs/database';
import { EndpointRow } from '../endpoints/endpoint.entity.js';
import { Refusal } from '../refusals/refusal.entity.js';
import { Receipts1763700000100 } from './1763700000100-receipts.js';
import { ReceiptsByTime1764500000100 } from './1764500000100-receipts-by-time.js';
import { PartitionFunctions1764700000101 } from './1764700000101-partition-functions.js';
import { ProjectLimits1765000000201 } from './1765000000201-project-limits.js';

export const schema: ServiceSchema = {
  name: 'ingress',
  entities: [EndpointRow, Refusal],
  migrations: [
    Receipts1763700000100,
    ReceiptsByTime1764500000100,
    PartitionFunctions1764700000101,
    ProjectLimits1765000000201,
  ],
  // The timeline of a receipt begins with what the ingress wrote: its view, and nothing of the rows behind it.
  grants: { router: ['SELECT ON journal.receipt'] },
};
