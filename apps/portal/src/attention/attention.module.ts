import { Module } from '@nestjs/common';
import { QueuesModule } from '../queues/queues.module.js';
import { RedisTroubles } from './redis-troubles.js';
import { ServiceReports } from './service-reports.js';
import { AttentionList } from './attention-list.js';
import { AttentionMuteRepository } from './attention-mute.repository.js';
import { SeenAttention } from './seen-attention.js';
import { UnsentAlerts } from './unsent-alerts.js';
import { AttentionController } from './attention.controller.js';

@Module({
  imports: [QueuesModule],
  controllers: [AttentionController],
  providers: [AttentionList, AttentionMuteRepository, RedisTroubles, SeenAttention, ServiceReports, UnsentAlerts],
  exports: [AttentionList, AttentionMuteRepository, SeenAttention],
})
export class AttentionModule {}
