import { AuditEntry } from '#libs/audit';
import { Entity, Index } from 'typeorm';

@Entity({ schema: 'router', name: 'audit' })
@Index('audit_by_project', ['organization_id', 'project_id', 'id'])
export class Audit extends AuditEntry {}
