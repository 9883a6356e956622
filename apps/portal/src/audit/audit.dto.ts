import { type AuditAction, auditActions } from '#libs/audit';
import { anyObject, idOf, PageOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { NamedRecord } from './audit-trail.js';

export class AuditLogEntryView implements NamedRecord {
  @ApiProperty(idOf('aud')) id: string;
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ description: 'key:<id>, user:<id> or contact:<id>' }) actor: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of the member, or of the key; null: it is known by its id alone',
  })
  actor_name: string | null;
  @ApiProperty({ enum: auditActions }) action: AuditAction;
  @ApiProperty({ description: 'Id of what was changed' }) subject: string;
  @ApiProperty({ ...anyObject, nullable: true, description: 'As it was; null: it was not there' })
  before: Record<string, unknown> | null;
  @ApiProperty({ ...anyObject, nullable: true, description: 'As it is since; null: it is gone' })
  after: Record<string, unknown> | null;
  @ApiProperty({ type: String, nullable: true, description: 'X-Request-Id of the request; null: a message did it' })
  request_id: string | null;
}

export class AuditLogPage extends PageOf(AuditLogEntryView) {}
