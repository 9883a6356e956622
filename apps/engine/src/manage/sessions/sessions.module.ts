import { Module } from '@nestjs/common';
import { PreviewsModule } from '../../previews.module.js';
import { TurnsModule } from '../../turns.module.js';
import { CannedAnswerController, SessionInboxController } from './inbox.controller.js';
import { InboxRepository } from './inbox.repository.js';
import { SessionListRepository } from './session-list.repository.js';
import { SessionReplyService } from './session-reply.service.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';
import { SessionService } from './session.service.js';
import { SummaryRepository } from './summary.repository.js';

@Module({
  imports: [PreviewsModule, TurnsModule],
  controllers: [SessionController, SessionInboxController, CannedAnswerController],
  providers: [
    InboxRepository,
    SessionListRepository,
    SessionReplyService,
    SessionRepository,
    SessionService,
    SummaryRepository,
  ],
})
export class SessionsModule {}
