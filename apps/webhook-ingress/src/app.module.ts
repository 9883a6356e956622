import { type DynamicModule, Module } from '@nestjs/common';
import { AnswersModule } from './answers/answers.module.js';
import { AttentionModule } from './attention/attention.module.js';
import { CoreModule } from './core.module.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import type { IngressSettings } from './env.js';
import { OutagesModule } from './outages/outages.module.js';
import { ReceiptsModule } from './receipts/receipts.module.js';
import { RefusalsModule } from './refusals/refusals.module.js';
import { WebhookModule } from './webhook/webhook.module.js';

@Module({})
export class AppModule {
  static with(settings: IngressSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.with(settings),
        AnswersModule,
        AttentionModule,
        EndpointsModule,
        OutagesModule,
        ReceiptsModule,
        RefusalsModule,
        WebhookModule,
      ],
    };
  }
}
