import { OneOf, OrderedQuery, Text } from '#libs/service-kit';
import { type AuditAction, auditActions } from './audit.entity.js';

/** What is asked of an audit log: a page, and what its entries are looked for by. */
export class AuditQuery extends OrderedQuery {
  @OneOf(auditActions, { optional: true, description: 'What was done' }) action?: AuditAction;
  @Text(200, { optional: true, description: 'Who did it: user:<id>, key:<id> or contact:<id>' }) actor?: string;
  @Text(200, { optional: true, description: 'Id of what was changed' }) subject?: string;
}
