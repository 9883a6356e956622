import { Module } from '@nestjs/common';
import { ExpiredFlows, OauthFlowRepository } from './oauth-flow.repository.js';

@Module({
  providers: [ExpiredFlows, OauthFlowRepository],
  exports: [OauthFlowRepository],
})
export class OauthFlowsModule {}
