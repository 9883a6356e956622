import { Module } from '@nestjs/common';
import { ApprovalAskRepository } from './approval-ask.repository.js';
import { ApprovalAskService } from './approval-ask.service.js';
import { ApprovalController } from './approval.controller.js';
import { ApprovalListRepository } from './approval-list.repository.js';
import { ApprovalExpiryService } from './approval-expiry.service.js';
import { ApprovalRepository } from './approval.repository.js';
import { ApprovalService, SpokenDecisions } from './approval.service.js';

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
