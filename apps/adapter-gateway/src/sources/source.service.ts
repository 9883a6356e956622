import { columnsOf, newId, readersOf } from '#libs/contracts';
import { notFound, type Principal, Problem, requireApprovalsManage } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { AppService } from '../manage/apps/app.service.js';
import type { ChangeSource, CreateSource, StatedAccessRule } from './source.dto.js';
import type { AccessRule, SourceRow } from './source.entity.js';
import { SourceRepository } from './source.repository.js';
import { SourceSyncs } from './source-syncs.js';
import type { SyncRunRow } from './sync-run.entity.js';

/** Document sources of a project. */
@Injectable()
export class SourceService {
  constructor(
    private readonly sources: SourceRepository,
    private readonly apps: AppService,
    private readonly syncs: SourceSyncs,
  ) {}

  /** @throws Problem 404 `app_not_found`, 422 `no_documents`, 403 `scope_missing` for the trust `owner` */
  async create(caller: Principal, body: CreateSource): Promise<SourceRow> {
    const app = await this.apps.get(caller, body.app_id);
    if (app.kind === 'builtin') {
      throw new Problem(422, 'no_documents', 'The built-in Webhook app has no documents: choose an App of an adapter.');
    }
    requireRightToTrust(caller, body.trust);
    const now = new Date();
    const row: SourceRow = {
      id: newId('src'),
      ...columnsOf(caller),
      app_id: app.id,
      name: body.name,
      resource_path: body.resource_path,
      every_seconds: body.every_seconds ?? null,
      hint_events: body.hint_events ?? ['push'],
      trust: body.trust ?? 'untrusted',
      audience: body.audience ?? 'known',
      access_from: body.access_from ?? 'provider',
      access: null,
      access_rules: rulesOf(body.access_rules ?? []),
      state: 'active',
      cursor: null,
      sync_failure: null,
      feed_failure: null,
      next_sync_at: body.every_seconds === undefined ? null : now,
      created_at: now,
      updated_at: now,
    };
    await this.sources.insert(caller, row);
    return row;
  }

  async change(caller: Principal, id: string, body: ChangeSource): Promise<SourceRow> {
    const { trust } = await this.get(caller, id);
    requireRightToTrust(caller, body.trust, trust);
    const every = body.schedule_off ? null : body.every_seconds;
    await this.sources.update(caller, id, {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.state === undefined ? {} : { state: body.state }),
      ...(body.hint_events === undefined ? {} : { hint_events: body.hint_events }),
      ...(body.trust === undefined ? {} : { trust: body.trust }),
      ...(body.audience === undefined ? {} : { audience: body.audience }),
      ...(body.access_from === undefined ? {} : { access_from: body.access_from }),
      ...(body.access_rules === undefined ? {} : { access_rules: rulesOf(body.access_rules) }),
      ...(every === undefined ? {} : { every_seconds: every, next_sync_at: every === null ? null : new Date() }),
    });
    return this.get(caller, id);
  }

  async delete(caller: Principal, id: string): Promise<void> {
    await this.get(caller, id);
    await this.sources.delete(id);
  }

  async sync(caller: Principal, id: string): Promise<SyncRunRow> {
    return this.syncs.start(await this.get(caller, id), 'request');
  }

  /** @throws Problem 404 */
  async get(caller: Principal, id: string): Promise<SourceRow> {
    const row = await this.sources.find(caller, id);
    if (!row) throw notFound('source', id);
    return row;
  }

  list(caller: Principal, cursor: string | null, limit: number, search?: string): Promise<SourceRow[]> {
    return this.sources.list(caller, cursor, limit, search);
  }
}

/** @throws Problem 422 for a list that is none or that its audience would ignore, and for a prefix that is named twice */
function rulesOf(stated: readonly StatedAccessRule[]): AccessRule[] {
  const read = stated.map(({ readers = [], ...rule }) => ({ ...rule, readers: readersOf(readers) }));
  const errors = read.flatMap(({ prefix, audience, readers }, at) => {
    const field = `access_rules.${at}`;
    if (read.findIndex((other) => other.prefix === prefix) < at) {
      return [{ field: `${field}.prefix`, message: 'is the prefix of an earlier rule' }];
    }
    if (typeof readers === 'string') return [{ field: `${field}.readers`, message: readers }];
    if (audience === 'listed' || readers.length === 0) return [];
    return [{ field: `${field}.readers`, message: 'is only for the audience listed' }];
  });
  if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
  return read.flatMap(({ readers, ...rule }) => (typeof readers === 'string' ? [] : [{ ...rule, readers }]));
}

/**
 * Turns that read trusted documents keep their rights, so trust needs a scope of its own.
 * @throws Problem 403 `scope_missing`
 */
function requireRightToTrust(
  caller: Principal,
  wanted: SourceRow['trust'] | undefined,
  now: SourceRow['trust'] = 'untrusted',
): void {
  if (wanted === 'owner' && wanted !== now) requireApprovalsManage(caller, 'Vouching for the documents of a source');
}
