import { Module } from '@nestjs/common';
import { AdaptersModule } from '../../adapters.module.js';
import { AppsModule } from '../../apps.module.js';
import { SampleBodies } from './sample-bodies.js';
import { SampleEndpoints } from './sample-endpoint.js';
import { SampleController } from './sample.controller.js';
import { SampleService } from './sample.service.js';
import { WebhookRequests } from './webhook-requests.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [SampleController],
  providers: [SampleBodies, SampleEndpoints, SampleService, WebhookRequests],
  exports: [SampleEndpoints, WebhookRequests],
})
export class SamplesModule {}
