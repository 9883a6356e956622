import type { ServiceSchema } from '#libs/database';
import { AdapterRow } from '../adapters/adapter.entity.js';
import { AppRow } from '../apps/app.entity.js';
import { DeliveryRow } from '../deliveries/delivery.entity.js';
import { ParsedMessages } from '../inbound/parsed-messages.entity.js';
import { Gateway1763700000200 } from './1763700000200-gateway.js';

export const schema: ServiceSchema = {
  name: 'gateway',
  entities: [AdapterRow, AppRow, DeliveryRow, ParsedMessages],
  migrations: [Gateway1763700000200],
};
