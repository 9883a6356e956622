import { attentionAtMost, type AttentionItem, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CredentialStatus } from '../credential-store/credential.entity.js';

interface Row {
  id: string;
  name: string;
  status: CredentialStatus;
  reason: string | null;
  updated_at: Date;
}

/** What is wrong, by status, and what to do. A status that is absent here is fine. */
const wrong: Partial<
  Record<CredentialStatus, { severity: AttentionItem['severity']; is: string; what_to_do: string }>
> = {
  invalid: { severity: 'error', is: 'is refused by its provider', what_to_do: 'Store one that the provider accepts.' },
  undecryptable: {
    severity: 'error',
    is: 'cannot be opened with the keys of this installation',
    what_to_do: 'Restore the key that sealed it, or store the credential again.',
  },
  needs_reconnect: { severity: 'error', is: 'must be connected again', what_to_do: 'Reconnect it.' },
  revoked: { severity: 'error', is: 'was revoked', what_to_do: 'Reconnect it, or unlink it.' },
  degraded: {
    severity: 'warning',
    is: 'could not be refreshed',
    what_to_do: 'It is retried automatically: see its reason.',
  },
  pending: { severity: 'warning', is: 'was never connected', what_to_do: 'Connect it, or delete it.' },
};

/** The project's credentials that do not work. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly db: DataSource) {}

  async of({ organizationId, projectId }: ProjectScope): Promise<AttentionItem[]> {
    const rows = (await this.db.query(
      `SELECT id, name, status, reason, updated_at FROM vault.credential
        WHERE organization_id = $1 AND project_id = $2 AND status = ANY($3) ORDER BY id LIMIT $4`,
      [organizationId, projectId, Object.keys(wrong), attentionAtMost],
    )) as Row[];
    return rows.flatMap(({ id, name, status, reason, updated_at: since }): AttentionItem[] => {
      const known = wrong[status];
      if (!known) return [];
      const { severity, is, what_to_do } = known;
      const text = `The credential ${name} ${is}${reason === null ? '' : `: ${reason}`}.`;
      const resource = { kind: 'credential' as const, id };
      const scope = 'credentials:read';
      return [
        {
          code: `credential_${status}`,
          severity,
          text,
          what_to_do,
          resource,
          count: 1,
          since: since.toISOString(),
          scope,
        },
      ];
    });
  }
}
