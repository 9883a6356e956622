import type { ServiceSchema } from '#libs/database';
import { CredentialAudit } from '../audit/credential-audit.entity.js';
import { CredentialBinding } from '../bindings/credential-binding.entity.js';
import { CredentialField } from '../credentials/credential-field.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { GrantEvent } from '../grants/grant-event.entity.js';
import { OauthGrant } from '../grants/grant.entity.js';
import { RefreshAttempt } from '../grants/refresh-attempt.entity.js';
import { Revocation } from '../grants/revocation.entity.js';
import { ConnectLink } from '../oauth/connect-link.entity.js';
import { OauthFlow } from '../oauth/oauth-flow.entity.js';
import { KekSentinel } from '../sealing/kek-sentinel.entity.js';
import { Credentials1763700000200 } from './1763700000200-credentials.js';
import { CredentialDetails1763700001300 } from './1763700001300-credential-details.js';
import { OauthGrants1763900000200 } from './1763900000200-oauth-grants.js';
import { NotificationTarget } from '../notifications/notification-target.entity.js';
import { Notification } from '../notifications/notification.entity.js';
import { Notifications1764300000500 } from './1764300000500-notifications.js';
import { StandingRevocations1764300000400 } from './1764300000400-standing-revocations.js';
import { TokenCustody1764400000200 } from './1764400000200-token-custody.js';
import { ManagedCredentials1764400000300 } from './1764400000300-managed-credentials.js';
import { FailedNotifications1764600000810 } from './1764600000810-failed-notifications.js';
import { SigningFields1764600000820 } from './1764600000820-signing-fields.js';
import { ChangesTold1764900000400 } from './1764900000400-changes-told.js';

export const schema: ServiceSchema = {
  name: 'vault',
  entities: [
    Credential,
    CredentialAudit,
    CredentialBinding,
    CredentialField,
    KekSentinel,
    OauthGrant,
    RefreshAttempt,
    GrantEvent,
    Revocation,
    OauthFlow,
    ConnectLink,
    NotificationTarget,
    Notification,
  ],
  migrations: [
    Credentials1763700000200,
    CredentialDetails1763700001300,
    OauthGrants1763900000200,
    StandingRevocations1764300000400,
    Notifications1764300000500,
    TokenCustody1764400000200,
    ManagedCredentials1764400000300,
    FailedNotifications1764600000810,
    SigningFields1764600000820,
    ChangesTold1764900000400,
  ],
};
