import { Module } from '@nestjs/common';
import { QueuesModule } from '../queues/queues.module.js';
import { RedisTroubles } from './redis-troubles.js';
import { AttentionController } from './attention.controller.js';

@Module({
  imports: [QueuesModule],
  controllers: [AttentionController],
  providers: [RedisTroubles],
})
export class AttentionModule {}
