import type { ServiceSchema } from '#libs/database';
import { ChannelRow } from '../channels/channel.entity.js';
import { ContactRow } from '../contacts/contact.entity.js';
import { IdentityRow } from '../contacts/identity.entity.js';
import { StoredMessage } from '../routing/message.entity.js';
import { TriggerRow } from '../workflows/trigger.entity.js';
import { WorkflowRow } from '../workflows/workflow.entity.js';
import { Router1763700000300 } from './1763700000300-router.js';
import { ContactsSessionsTriggers1763900000300 } from './1763900000300-contacts-sessions-triggers.js';
import { ClaimsVerdictsProgress1764000000300 } from './1764000000300-claims-verdicts-progress.js';
import { TakeoverLines1764400000300 } from './1764400000300-takeover-lines.js';
import { RequestKeys1764400000400 } from './1764400000400-request-keys.js';
import { MachineMessages1764600000400 } from './1764600000400-machine-messages.js';
import { TurnEnds1764600000500 } from './1764600000500-turn-ends.js';
import { RunRehearsals1764600000600 } from './1764600000600-run-rehearsals.js';
import { TextSources1764700000300 } from './1764700000300-text-sources.js';
import { TurnsHandedOver1764800000300 } from './1764800000300-turns-handed-over.js';
import { ChangesTold1764900000300 } from './1764900000300-changes-told.js';
import { ProjectLimits1765000000203 } from './1765000000203-project-limits.js';

export const schema: ServiceSchema = {
  name: 'router',
  entities: [ChannelRow, ContactRow, IdentityRow, StoredMessage, TriggerRow, WorkflowRow],
  migrations: [
    Router1763700000300,
    ContactsSessionsTriggers1763900000300,
    ClaimsVerdictsProgress1764000000300,
    TakeoverLines1764400000300,
    RequestKeys1764400000400,
    MachineMessages1764600000400,
    TurnEnds1764600000500,
    RunRehearsals1764600000600,
    TextSources1764700000300,
    TurnsHandedOver1764800000300,
    ChangesTold1764900000300,
    ProjectLimits1765000000203,
  ],
};
