import { Module } from '@nestjs/common';
import { CompactionModule } from '../compaction/compaction.module.js';
import { PreviewsModule } from '../previews/previews.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { SessionListRepository } from './session-list.repository.js';
import { SessionReplyService } from './session-reply.service.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';

@Module({
  imports: [CompactionModule, PreviewsModule, TurnsModule],
  controllers: [SessionController],
  providers: [SessionListRepository, SessionReplyService, SessionRepository, SessionService],
})
export class SessionsModule {}
