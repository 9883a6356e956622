import type { CredentialView } from './credential.dto.js';
import type { Credential } from './credential.entity.js';

/** What the management API may show of a row. */
export function viewOf(row: Credential): CredentialView {
  const { id, name, type, grant, declared_fields, adapter_slug, generation, status, reason, account } = row;
  return {
    id,
    name,
    type,
    grant,
    fields: row.fields.map(({ field }) => field).sort(),
    declared_fields,
    adapter_slug,
    generation,
    status,
    reason,
    account,
    managed_for: row.managed_for,
    notification_failure: row.notification_failure,
    last_verified_at: row.last_verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
