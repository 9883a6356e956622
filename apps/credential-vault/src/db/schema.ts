import type { ServiceSchema } from '#libs/database';
import { CredentialField } from '../credentials/credential-field.entity.js';
import { Credential } from '../credentials/credential.entity.js';
import { KekSentinel } from '../sealing/kek-sentinel.entity.js';
import { Credentials1763700000200 } from './1763700000200-credentials.js';

export const schema: ServiceSchema = {
  name: 'vault',
  entities: [Credential, CredentialField, KekSentinel],
  migrations: [Credentials1763700000200],
};
