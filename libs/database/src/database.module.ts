import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Liveness } from './liveness.js';
import { type ConnectionSettings, dataSourceOptions, type ServiceSchema } from './service-schema.js';
import { LastingTrouble } from './lasting-trouble.js';

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
  const trouble = new LastingTrouble('postgres', 'postgres.not_connected');
  for (let attempt = 1; ; attempt += 1) {
    try {
      const connected = await source.initialize();
      trouble.works('start');
      return connected;
    } catch (error) {
      if (attempt === attempts) throw error;
      trouble.fails('start', error);
      await pause(betweenMs);
    }
  }
}
