import { Module } from '@nestjs/common';
import { RedisTroubles } from './redis-troubles.js';
import { AttentionController } from './attention.controller.js';

@Module({
  controllers: [AttentionController],
  providers: [RedisTroubles],
})
export class AttentionModule {}
