import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { Member } from '../members/member.entity.js';
import { UserAccount } from '../members/user-account.entity.js';
import { Project } from '../projects/project.entity.js';
import { MemberSession } from '../sessions/member-session.entity.js';
import { SignInLink } from '../sign-in/sign-in-link.entity.js';
import { UserIdentity } from '../sign-in/user-identity.entity.js';
import { KeyLineage1764600000900 } from './1764600000900-key-lineage.js';
import { TenantsAndKeys1763700000300 } from './1763700000300-tenants-and-keys.js';
import { Audit1764700000303 } from './1764700000303-audit.js';
import { People1764800000310 } from './1764800000310-people.js';
import { ProjectLimits1765000000200 } from './1765000000200-project-limits.js';

export const schema: ServiceSchema = {
  name: 'portal',
  entities: [Organization, Project, ApiKey, Audit, UserAccount, UserIdentity, Member, SignInLink, MemberSession],
  migrations: [
    TenantsAndKeys1763700000300,
    KeyLineage1764600000900,
    Audit1764700000303,
    People1764800000310,
    ProjectLimits1765000000200,
  ],
};
