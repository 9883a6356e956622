import type { ServiceSchema } from '#libs/database';
import { EndpointRow } from '../endpoints/endpoint.entity.js';
import { Refusal } from '../refusals/refusal.entity.js';
import { Receipts1763700000100 } from './1763700000100-receipts.js';
import { ReceiptsByTime1764500000100 } from './1764500000100-receipts-by-time.js';

export const schema: ServiceSchema = {
  name: 'ingress',
  entities: [EndpointRow, Refusal],
  migrations: [Receipts1763700000100, ReceiptsByTime1764500000100],
};
