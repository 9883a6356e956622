import { AuditLog } from '#libs/audit';
import { ListReads } from '#libs/list-reads';
import { ServiceTokens } from '#libs/service-kit';
import { Module } from '@nestjs/common';
import type { UpstreamUrls } from '../proxy/route-table.js';
import { SETTINGS } from '../settings.js';
import { ActorNameRepository } from './actor-name.repository.js';
import { AuditLogController } from './audit-log.controller.js';
import { auditClients, AuditTrail } from './audit-trail.js';

@Module({
  controllers: [AuditLogController],
  providers: [
    ActorNameRepository,
    {
      provide: AuditTrail,
      useFactory: (
        own: AuditLog,
        reads: ListReads,
        tokens: ServiceTokens,
        names: ActorNameRepository,
        urls: UpstreamUrls,
      ) => new AuditTrail(own, reads, auditClients(urls, tokens), names),
      inject: [AuditLog, ListReads, ServiceTokens, ActorNameRepository, SETTINGS],
    },
  ],
})
export class AuditModule {}
