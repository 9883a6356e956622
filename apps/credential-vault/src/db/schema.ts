import type { ServiceSchema } from '#libs/database';
import { CredentialAudit } from '../audit/credential-audit.entity.js';
import { CredentialBinding } from '../credential-store/credential-binding.entity.js';
import { Credential, CredentialField, FieldRotation } from '../credential-store/credential.entity.js';
import { ClientPause } from '../grants/client-pause.entity.js';
import { GrantEvent, OauthGrant } from '../grants/grant.entity.js';
import { RefreshAttempt } from '../grants/refresh-attempt.entity.js';
import { Revocation } from '../grants/revocation.entity.js';
import { ConnectLink } from '../oauth/connect-link.entity.js';
import { OauthFlow } from '../oauth-flows/oauth-flow.entity.js';
import { KekSentinel } from '../sealing/kek-sentinel.entity.js';
import { NotificationTarget } from '../notifications/notification-target.entity.js';
import { Notification } from '../notifications/notification.entity.js';
import { Vault1770000000000 } from './1770000000000-vault.js';
import { ClientPause1795678342288 } from './1795678342288-client-pause.js';
import { AnswerFields1795679539484 } from './1795679539484-answer-fields.js';
import { FieldRotation1795682400000 } from './1795682400000-field-rotation.js';
import { Work1795701300000 } from './1795701300000-work.js';
import { Suspects1795766100000 } from './1795766100000-suspects.js';
import { ArrivalKey } from '../sealing/arrival-key.entity.js';
import { ArrivalKey1795903473549 } from './1795903473549-arrival-key.js';

export const schema: ServiceSchema = {
  name: 'vault',
  entities: [
    Credential,
    CredentialAudit,
    CredentialBinding,
    CredentialField,
    FieldRotation,
    KekSentinel,
    OauthGrant,
    ClientPause,
    RefreshAttempt,
    GrantEvent,
    Revocation,
    OauthFlow,
    ConnectLink,
    NotificationTarget,
    Notification,
    ArrivalKey,
  ],
  migrations: [
    Vault1770000000000,
    ClientPause1795678342288,
    AnswerFields1795679539484,
    FieldRotation1795682400000,
    Work1795701300000,
    Suspects1795766100000,
    ArrivalKey1795903473549,
  ],
};
