import { type DynamicModule, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Liveness } from './liveness.js';
import { type ConnectionSettings, dataSourceOptions, type ServiceSchema } from './service-schema.js';

const attempts = 20;
const betweenMs = 1_000;

/**
 * The service's data source and the repositories of all its entities. TypeORM's own Nest module does not work here: it
 * keeps data sources by name for the whole process, and services that share a process each have a data source.
 */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly source: DataSource) {}

  static forService(schema: ServiceSchema, settings: ConnectionSettings & { provesLife?: true }): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [TypeOrmModule.forFeature(schema.entities)],
      providers: [
        { provide: DataSource, useFactory: () => connected(new DataSource(dataSourceOptions(schema, settings))) },
        ...(settings.provesLife ? [{ provide: Liveness, useValue: new Liveness(settings) }] : []),
      ],
      exports: [DataSource, ...(settings.provesLife ? [Liveness] : []), TypeOrmModule],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.source.destroy();
  }
}

/** Waits for a Postgres that is starting at the same time. @throws its last refusal */
async function connected(source: DataSource): Promise<DataSource> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await source.initialize();
    } catch (error) {
      if (attempt === attempts) throw error;
      new Logger(DatabaseModule.name).warn(`No connection to Postgres, next try in ${betweenMs} ms: ${String(error)}`);
      await pause(betweenMs);
    }
  }
}
