import { DatabaseModule } from '#libs/database';
import { type DynamicModule, Module } from '@nestjs/common';
import { schema } from './db/schema.js';
import type { RegistrySettings } from './env.js';

@Module({})
export class AppModule {
  static with(settings: RegistrySettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService(schema, {
          url: settings.DATABASE_URL,
          poolSize: settings.DATABASE_POOL,
          applicationName: 'mcp-registry',
        }),
      ],
    };
  }
}
