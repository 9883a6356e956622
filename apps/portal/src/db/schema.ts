import type { ServiceSchema } from '#libs/database';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';
import { KeyLineage1764600000900 } from './1764600000900-key-lineage.js';
import { TenantsAndKeys1763700000300 } from './1763700000300-tenants-and-keys.js';

export const schema: ServiceSchema = {
  name: 'portal',
  entities: [Organization, Project, ApiKey],
  migrations: [TenantsAndKeys1763700000300, KeyLineage1764600000900],
};
