import type { ServiceSchema } from '#libs/database';
import { ChannelRow } from '../channels/channel.entity.js';
import { ContactRow } from '../contacts/contact.entity.js';
import { IdentityRow } from '../contacts/identity.entity.js';
import { StoredMessage } from '../routing/message.entity.js';
import { TriggerRow } from '../workflows/trigger.entity.js';
import { WorkflowRow } from '../workflows/workflow.entity.js';
import { Router1770000000000 } from './1770000000000-router.js';
import { SameForm1795693980542 } from './1795693980542-same-form.js';

export const schema: ServiceSchema = {
  name: 'router',
  entities: [ChannelRow, ContactRow, IdentityRow, StoredMessage, TriggerRow, WorkflowRow],
  migrations: [Router1770000000000, SameForm1795693980542],
};
