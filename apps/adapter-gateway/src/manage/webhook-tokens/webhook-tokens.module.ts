import { Module } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { TokenSeal } from './token-seal.js';

@Module({
  providers: [
    {
      provide: TokenSeal,
      useFactory: ({ GATEHOUSE_WEBHOOK_KEY }: GatewaySettings) => new TokenSeal(GATEHOUSE_WEBHOOK_KEY),
      inject: [SETTINGS],
    },
  ],
  exports: [TokenSeal],
})
export class WebhookTokensModule {}
