import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention/attention.module.js';
import { AlertController, AlertRuleController } from './alert-rule.controller.js';
import { AlertRuleRepository } from './alert-rule.repository.js';
import { AlertRuleService } from './alert-rule.service.js';
import { AlertSender } from './alert-sender.js';
import { AlertWatchRepository } from './alert-watch.repository.js';
import { AlertWatcher } from './alert-watcher.js';
import { AlertRepository } from './alert.repository.js';
import { ProjectRates } from './project-rates.js';

@Module({
  imports: [AttentionModule],
  controllers: [AlertRuleController, AlertController],
  providers: [
    AlertRuleRepository,
    AlertRuleService,
    AlertRepository,
    AlertSender,
    AlertWatcher,
    AlertWatchRepository,
    ProjectRates,
  ],
})
export class AlertsModule {}
