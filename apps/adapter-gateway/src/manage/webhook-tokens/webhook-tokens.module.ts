import { Module } from '@nestjs/common';
import type { GatewaySettings } from '../../env.js';
import { SETTINGS } from '../../tokens.js';
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
