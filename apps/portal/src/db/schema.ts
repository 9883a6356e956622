import type { ServiceSchema } from '#libs/database';
import { Audit } from '../audit/audit.entity.js';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';
import { KeyLineage1764600000900 } from './1764600000900-key-lineage.js';
import { TenantsAndKeys1763700000300 } from './1763700000300-tenants-and-keys.js';
import { Audit1764700000303 } from './1764700000303-audit.js';

export const schema: ServiceSchema = {
  name: 'portal',
  entities: [Organization, Project, ApiKey, Audit],
  migrations: [TenantsAndKeys1763700000300, KeyLineage1764600000900, Audit1764700000303],
};
