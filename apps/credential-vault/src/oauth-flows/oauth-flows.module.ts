import { Module } from '@nestjs/common';
import { ExpiredFlows } from './expired-flows.js';
import { OauthFlowRepository } from './oauth-flow.repository.js';

@Module({
  providers: [ExpiredFlows, OauthFlowRepository],
  exports: [OauthFlowRepository],
})
export class OauthFlowsModule {}
