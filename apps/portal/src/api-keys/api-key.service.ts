import { columnsOf, newId } from '#libs/contracts';
import { notFound, pageOf, type Page, type PageQuery, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import type { ApiKeyView, CreateApiKey, CreatedApiKey } from './api-key.dto.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { notGrantable } from './grants.js';
import { hashOf, newKey } from './key-text.js';

@Injectable()
export class ApiKeyService {
  constructor(private readonly keys: ApiKeyRepository) {}

  /** The answer is the only place where the key itself ever appears. */
  async create(caller: Principal, { name, scopes, expires_at }: CreateApiKey): Promise<CreatedApiKey> {
    const refused = notGrantable(caller.scopes, scopes);
    if (refused.length > 0) {
      throw new Problem(
        403,
        'scope_missing',
        `A key can only pass on scopes that it has. It lacks ${refused.join(', ')}.`,
      );
    }
    const maker = await this.makerOf(caller);
    const latest = maker?.expires_at ?? null;
    const expiresAt = expires_at === undefined ? latest : new Date(expires_at);
    if (latest && expiresAt && expiresAt > latest) {
      const errors = [{ field: 'expires_at', message: `must not be after ${latest.toISOString()}` }];
      throw new Problem(422, 'invalid_fields', 'A key cannot create a key that outlives it.', errors);
    }
    if (expiresAt && !(expiresAt.getTime() > Date.now())) {
      const errors = [{ field: 'expires_at', message: 'must be in the future' }];
      throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
    }
    const key = newKey();
    const row = await this.keys.insert(caller, {
      id: newId('key'),
      ...columnsOf(caller),
      name,
      hash: hashOf(key),
      last4: key.slice(-4),
      scopes,
      made_by_key_id: maker?.id ?? null,
      made_by_user_id: maker ? maker.made_by_user_id : (/^user:(.+)$/.exec(caller.subject)?.[1] ?? null),
      expires_at: expiresAt,
    });
    return { ...view(row), key };
  }

  /** @returns null where the caller is not a key; @throws Problem 401 for a key that was revoked a moment ago */
  private async makerOf(caller: Principal): Promise<ApiKey | null> {
    const id = /^key:(.+)$/.exec(caller.subject)?.[1];
    if (id === undefined) return null;
    const maker = await this.keys.findById(caller, id);
    if (!maker) throw new Problem(401, 'not_authenticated', 'The API key was revoked.');
    return maker;
  }

  async list(caller: Principal, { limit, cursor }: PageQuery): Promise<Page<ApiKeyView>> {
    const page = pageOf(await this.keys.list(caller, limit + 1, cursor), limit, (row) => row.id);
    return { data: page.data.map(view), next_cursor: page.next_cursor };
  }

  async revoke(caller: Principal, id: string): Promise<void> {
    if (!(await this.keys.revoke(caller, id))) throw notFound('key', id);
  }
}

function view(row: ApiKey): ApiKeyView {
  const { id, name, last4, scopes } = row;
  return {
    id,
    name,
    last4,
    scopes,
    made_by_key_id: row.made_by_key_id,
    made_by_user_id: row.made_by_user_id,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
