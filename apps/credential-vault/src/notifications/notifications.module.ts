import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants/grants.module.js';
import { NotificationTargetService } from './notification-target.service.js';
import { NotificationController } from './notification.controller.js';
import { NotificationRepository } from './notification.repository.js';
import { Notifier } from './notifier.js';

@Module({
  imports: [GrantsModule],
  controllers: [NotificationController],
  providers: [NotificationRepository, NotificationTargetService, Notifier],
})
export class NotificationsModule {}
