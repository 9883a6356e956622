import type { ServiceSchema } from '#libs/database';
import { EndpointRow, Outage, Refusal } from '../entities/ingress.entity.js';
import { Ingress1770000000000 } from './1770000000000-ingress.js';
import { Missed1795781222529 } from './1795781222529-missed.js';
import { PackedReceipts1795915836439 } from './1795915836439-packed-receipts.js';
import { ReceiptIndex1795917646772 } from './1795917646772-receipt-index.js';

export const schema: ServiceSchema = {
  name: 'ingress',
  entities: [EndpointRow, Outage, Refusal],
  migrations: [Ingress1770000000000, Missed1795781222529, PackedReceipts1795915836439, ReceiptIndex1795917646772],
  // A receipt's timeline begins with what the ingress wrote. The router reads that view, but not the rows behind it.
  grants: { router: ['SELECT ON journal.receipt'] },
};
