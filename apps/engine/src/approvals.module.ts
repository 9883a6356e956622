import { Module } from '@nestjs/common';
import { ApprovalAskRepository } from './path/approvals/approval-ask.repository.js';
import { ApprovalAskService } from './path/approvals/approval-ask.service.js';
import { ApprovalController } from './manage/approvals/approval.controller.js';
import { ApprovalListRepository } from './manage/approvals/approval-list.repository.js';
import { ApprovalExpiryService } from './manage/approvals/approval-expiry.service.js';
import { ApprovalRepository } from './path/approvals/approval.repository.js';
import { ApprovalService, SpokenDecisions } from './path/approvals/approval.service.js';

@Module({
  controllers: [ApprovalController],
  providers: [
    ApprovalAskRepository,
    ApprovalAskService,
    ApprovalExpiryService,
    ApprovalListRepository,
    ApprovalRepository,
    ApprovalService,
    SpokenDecisions,
  ],
  exports: [ApprovalRepository, SpokenDecisions],
})
export class ApprovalsModule {}
