import { Module } from '@nestjs/common';
import { ApprovalAskRepository } from './approval-ask.repository.js';
import { ApprovalAskService } from './approval-ask.service.js';
import { ApprovalController } from './approval.controller.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalService } from './approval.service.js';
import { SpokenDecisions } from './spoken-decision.js';

@Module({
  controllers: [ApprovalController],
  providers: [ApprovalAskRepository, ApprovalAskService, ApprovalRepository, ApprovalService, SpokenDecisions],
  exports: [ApprovalRepository, SpokenDecisions],
})
export class ApprovalsModule {}
