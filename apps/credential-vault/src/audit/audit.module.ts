import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { AuditRepository } from './audit.repository.js';
import { FrequentUses } from './frequent-uses.js';

@Module({
  controllers: [AuditController],
  providers: [AuditRepository, FrequentUses],
  exports: [AuditRepository, FrequentUses],
})
export class AuditModule {}
