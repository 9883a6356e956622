export { AuditLog, auditProvider } from './audit-log.repository.js';
export type { AuditActor } from './audit-log.repository.js';
export { createAuditTable, dropAuditTable } from './audit-table.js';
export { AuditController, AuditQuery } from './audit.controller.js';
export { type AuditAction, auditActions, AuditEntry, type AuditRecord } from './audit.entity.js';
