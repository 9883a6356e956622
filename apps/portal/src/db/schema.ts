import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { Member } from '../members/member.entity.js';
import { UserAccount } from '../members/user-account.entity.js';
import { Project } from '../projects/project.entity.js';
import { MemberSession } from '../authentication/member-session.entity.js';
import { SignInLink } from '../members/sign-in-link.entity.js';
import { UserIdentity } from '../sign-in/user-identity.entity.js';
import { Alert } from '../alerts/alert.entity.js';
import { AlertCause } from '../alerts/alert-cause.entity.js';
import { AlertRule } from '../alerts/alert-rule.entity.js';
import { AlertWatch } from '../alerts/alert-watch.entity.js';
import { AttentionMute } from '../attention/attention-mute.entity.js';
import { Alerts1795809700000 } from './1795809700000-alerts.js';
import { RecentWrite } from '../recent-writes/recent-write.entity.js';
import { SavedView } from '../views/saved-view.entity.js';
import { SavedView1795869304000 } from './1795869304000-saved-view.js';
import { Portal1770000000000 } from './1770000000000-portal.js';
import { RecentWrite1795915347854 } from './1795915347854-recent-write.js';

export const schema: ServiceSchema = {
  name: 'portal',
  entities: [
    Organization,
    Project,
    ApiKey,
    Audit,
    UserAccount,
    UserIdentity,
    Member,
    SignInLink,
    MemberSession,
    AlertRule,
    AlertCause,
    AlertWatch,
    Alert,
    AttentionMute,
    SavedView,
    RecentWrite,
  ],
  migrations: [Portal1770000000000, Alerts1795809700000, SavedView1795869304000, RecentWrite1795915347854],
};
