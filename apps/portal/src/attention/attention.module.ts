import { Module } from '@nestjs/common';
import { QueuesModule } from '../queues/queues.module.js';
import { RedisTroubles } from './redis-troubles.js';
import { ServiceReports } from './service-reports.js';
import { AttentionController } from './attention.controller.js';

@Module({
  imports: [QueuesModule],
  controllers: [AttentionController],
  providers: [RedisTroubles, ServiceReports],
})
export class AttentionModule {}
