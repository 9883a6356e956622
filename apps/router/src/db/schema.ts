import type { ServiceSchema } from '#libs/database';
import { ChannelRow, TriggerRow, WorkflowRow } from '../entities/rules.entity.js';
import { EventWaitRow } from '../manage/waits/event-wait.entity.js';
import { ScheduleRow, ScheduleTick } from '../manage/schedules/schedule.entity.js';
import { Audit } from '../entities/audit.entity.js';
import { ContactErasure } from '../manage/erasures/erasure.entity.js';
import { RuleVersion } from '../entities/rule-version.entity.js';
import { PackedMessage } from '../entities/message.entity.js';
import { ContactRow, IdentityRow } from '../manage/contacts/contact.entity.js';
import { Router1770000000000 } from './1770000000000-router.js';
import { SameForm1795693980542 } from './1795693980542-same-form.js';
import { DayNotice1795717800000 } from './1795717800000-day-notice.js';
import { LimitWords1795765800000 } from './1795765800000-limit-words.js';
import { OutputSchema1795801000000 } from './1795801000000-output-schema.js';
import { ProblemMark1795808000000 } from './1795808000000-problem-mark.js';
import { Schedule1795842000000 } from './1795842000000-schedule.js';
import { RuleVersion1795866062107 } from './1795866062107-rule-version.js';
import { WorkflowSteps1795866167000 } from './1795866167000-workflow-steps.js';
import { ContactReadsAs1795894000000 } from './1795894000000-contact-reads-as.js';
import { ContactAddress1795879800000 } from './1795879800000-contact-address.js';
import { EventWait1795890800000 } from './1795890800000-event-wait.js';
import { ContactErasure1795892557166 } from './1795892557166-contact-erasure.js';
import { PackedMessages1795927495482 } from './1795927495482-packed-messages.js';
import { MessageEntry1795927531894 } from './1795927531894-message-entry.js';

export const schema: ServiceSchema = {
  name: 'router',
  entities: [
    Audit,
    ChannelRow,
    ContactErasure,
    ContactRow,
    EventWaitRow,
    IdentityRow,
    RuleVersion,
    ScheduleRow,
    ScheduleTick,
    PackedMessage,
    TriggerRow,
    WorkflowRow,
  ],
  migrations: [
    Router1770000000000,
    SameForm1795693980542,
    DayNotice1795717800000,
    LimitWords1795765800000,
    OutputSchema1795801000000,
    ProblemMark1795808000000,
    Schedule1795842000000,
    RuleVersion1795866062107,
    WorkflowSteps1795866167000,
    ContactAddress1795879800000,
    EventWait1795890800000,
    ContactErasure1795892557166,
    ContactReadsAs1795894000000,
    PackedMessages1795927495482,
    MessageEntry1795927531894,
  ],
  // An entry that lies in a row is part of the timelines, of lists and counts.
  grants: Object.fromEntries(
    ['webhook-ingress', 'router', 'engine'].map((service) => [service, ['SELECT ON journal.message_entry']]),
  ),
};
