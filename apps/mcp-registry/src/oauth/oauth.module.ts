import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { OauthRegistration } from './oauth-registration.service.js';
import { OauthController } from './oauth.controller.js';

@Module({
  imports: [CredentialsModule, ServersModule],
  controllers: [OauthController],
  providers: [OauthRegistration],
})
export class OauthModule {}
