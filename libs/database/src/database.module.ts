import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Liveness } from './liveness.js';
import { type ConnectionSettings, dataSourceOptions, type ServiceSchema } from './service-schema.js';

/** The service's data source and the repositories of all its entities. */
@Module({})
export class DatabaseModule {
  static forService(schema: ServiceSchema, settings: ConnectionSettings): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRoot({ ...dataSourceOptions(schema, settings), retryAttempts: 20, retryDelay: 1_000 }),
        TypeOrmModule.forFeature(schema.entities),
      ],
      providers: [
        { provide: Liveness, useValue: new Liveness({ url: settings.url, service: settings.applicationName }) },
      ],
      exports: [TypeOrmModule, Liveness],
    };
  }
}
