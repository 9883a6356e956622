export { DataSource as Database } from 'typeorm';
export { DatabaseModule } from './database.module.js';
export { dropOldPartitions, ensureDailyPartitions, type Queryable } from './partitions.js';
export { dataSourceOptions, type ConnectionSettings, type ServiceSchema } from './service-schema.js';
export { migrateAll } from './all-schemas.js';
export { Sweeper } from './sweeper.js';
export { SurvivingClient } from './surviving-client.js';
export { withoutFlush } from './without-flush.js';
