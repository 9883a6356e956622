import { Module } from '@nestjs/common';
import { AdaptersModule } from '../adapters.module.js';
import { AppsModule } from '../apps.module.js';
import { WebhookRenewalController } from './webhook-renewal.controller.js';
import { WebhookRenewalRepository } from './webhook-renewal.repository.js';
import { WebhookRenewer } from './webhook-renewer.js';

@Module({
  imports: [AdaptersModule, AppsModule],
  controllers: [WebhookRenewalController],
  providers: [WebhookRenewalRepository, WebhookRenewer],
})
export class WebhookRenewalsModule {}
