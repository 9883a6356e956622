import { Module } from '@nestjs/common';
import { MessageOrigins } from './message-origins.js';

@Module({
  providers: [MessageOrigins],
  exports: [MessageOrigins],
})
export class OriginsModule {}
