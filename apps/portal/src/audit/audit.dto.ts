import { type AuditAction, auditActions } from '#libs/audit';
import { LaggingPageOf } from '#libs/list-reads';
import { anyObject, idOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { NamedRecord } from './audit-trail.js';

export class AuditLogEntryView implements NamedRecord {
  @ApiProperty(idOf('aud')) id: string;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'key:<id>, user:<id> or contact:<id>' }) actor: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the member or key; null: only the id is known',
  })
  actor_name: string | null;
  @ApiProperty({ enum: auditActions }) action: AuditAction;
  @ApiProperty({ description: 'Id of what was changed' }) subject: string;
  @ApiProperty({ ...anyObject, nullable: true, description: 'State before; null: it did not exist' })
  before: Record<string, unknown> | null;
  @ApiProperty({ ...anyObject, nullable: true, description: 'State after; null: it was removed' })
  after: Record<string, unknown> | null;
  @ApiProperty({ type: String, nullable: true, description: 'X-Request-Id of the request; null: a message caused it' })
  request_id: string | null;
}

export class AuditLogPage extends LaggingPageOf(AuditLogEntryView) {}
