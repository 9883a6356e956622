import type { ProjectScope } from '#libs/contracts';
import { createHash } from 'node:crypto';

/**
 * Which calls may share a child: those of one source in one conversation. Python's modules keep what a call changes in
 * them, so what one contact's call left there, no other contact's call may find.
 */
export interface Tenant extends ProjectScope {
  /** Hex SHA-256. */
  sourceSha256: string;
  conversation: string;
}

export function tenantOf({ organizationId, projectId }: ProjectScope, source: string, conversation: string): Tenant {
  return { organizationId, projectId, sourceSha256: sha256(source), conversation };
}

export function isSame(one: Tenant, other: Tenant): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.projectId === other.projectId &&
    one.sourceSha256 === other.sourceSha256 &&
    one.conversation === other.conversation
  );
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
