import type { ServiceSchema } from '#libs/database';

export const schema: ServiceSchema = {
  name: 'registry',
  entities: [],
  migrations: [],
};
