import { startService } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { env } from './env.js';
import { refreshQueue } from './oauth/oauth.providers.js';

/** 50 fields of 64 KiB, with room for JSON's escapes. */
const bodyLimit = 4 * 1024 * 1024;

await startService({
  name: 'credential-vault',
  module: AppModule.with(env),
  settings: env,
  consumes: [refreshQueue],
  bodyLimit,
});
