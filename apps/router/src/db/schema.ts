import type { ServiceSchema } from '#libs/database';
import { ChannelRow, TriggerRow, WorkflowRow } from '../entities/rules.entity.js';
import { ContactRow, IdentityRow, StoredMessage } from '../entities/message.entity.js';
import { Router1770000000000 } from './1770000000000-router.js';
import { SameForm1795693980542 } from './1795693980542-same-form.js';
import { DayNotice1795717800000 } from './1795717800000-day-notice.js';
import { LimitWords1795765800000 } from './1795765800000-limit-words.js';
import { OutputSchema1795801000000 } from './1795801000000-output-schema.js';
import { ProblemMark1795808000000 } from './1795808000000-problem-mark.js';

export const schema: ServiceSchema = {
  name: 'router',
  entities: [ChannelRow, ContactRow, IdentityRow, StoredMessage, TriggerRow, WorkflowRow],
  migrations: [
    Router1770000000000,
    SameForm1795693980542,
    DayNotice1795717800000,
    LimitWords1795765800000,
    OutputSchema1795801000000,
    ProblemMark1795808000000,
  ],
};
