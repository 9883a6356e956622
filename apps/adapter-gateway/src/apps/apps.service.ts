import { appChanged, newId } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { AdaptersService } from '../adapters/adapters.service.js';
import type { AppRow } from './app.entity.js';
import type { ChangeApp, InstallApp, SignatureSettings } from './app.dto.js';
import { AppRepository } from './app.repository.js';
import { tokenHash } from './endpoint-projection.js';

const defaultMaxBodyBytes = 1_048_576;

/** Installs and changes Apps; every change is announced to the ingress. */
@Injectable()
export class AppsService {
  constructor(
    @Inject(AppRepository) private readonly apps: AppRepository,
    @Inject(AdaptersService) private readonly adapters: AdaptersService,
    @Inject(JobClient) private readonly jobs: JobClient,
  ) {}

  /** @throws Problem 422 `adapter_required | signature_not_applicable`, 404 `adapter_not_found` */
  async install(caller: Principal, body: InstallApp): Promise<AppRow> {
    if (body.kind === 'adapter') {
      if (!body.adapter_id) throw new Problem(422, 'adapter_required', 'An App of kind adapter needs adapter_id.');
      await this.adapters.get(caller, body.adapter_id);
      if (body.signature) {
        throw new Problem(
          422,
          'signature_not_applicable',
          "Signatures of an adapter's App are declared by its manifest.",
        );
      }
    }
    const now = new Date();
    const row: AppRow = {
      id: newId('app'),
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      name: body.name,
      kind: body.kind,
      adapter_id: body.adapter_id ?? null,
      credential_id: body.credential_id ?? null,
      state: 'active',
      webhook_token: newToken(),
      retired_token_hashes: [],
      signature: body.signature ? declared(body.signature) : null,
      max_body_bytes: body.max_body_bytes ?? defaultMaxBodyBytes,
      origin_marker: randomBytes(16).toString('hex'),
      self: null,
      version: await this.apps.nextVersion(),
      created_at: now,
      updated_at: now,
    };
    await this.apps.insert(row);
    this.announce(row);
    return row;
  }

  async change(caller: Principal, id: string, body: ChangeApp): Promise<AppRow> {
    const app = await this.get(caller, id);
    return this.save(app, {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.state === undefined ? {} : { state: body.state }),
      ...(body.credential_id === undefined ? {} : { credential_id: body.credential_id }),
      ...(body.max_body_bytes === undefined ? {} : { max_body_bytes: body.max_body_bytes }),
      ...(body.signature === undefined ? {} : { signature: declared(body.signature) }),
      ...(body.signature_off ? { signature: null } : {}),
    });
  }

  /** A new webhook token; the old one answers 410 from then on. */
  async rotateToken(caller: Principal, id: string): Promise<AppRow> {
    const app = await this.get(caller, id);
    return this.save(app, {
      webhook_token: newToken(),
      retired_token_hashes: [...app.retired_token_hashes, tokenHash(app.webhook_token)],
    });
  }

  async retire(caller: Principal, id: string): Promise<void> {
    await this.save(await this.get(caller, id), { state: 'retired' });
  }

  /** Remembers who the App is at its provider, as `/verify` said. */
  async rememberSelf(app: AppRow, self: Record<string, unknown>): Promise<void> {
    await this.save(app, { self });
  }

  async get(caller: Pick<Principal, 'organizationId' | 'projectId'>, id: string): Promise<AppRow> {
    const row = await this.apps.find(caller, id);
    if (!row || row.state === 'retired') throw notFound('app', id);
    return row;
  }

  list(caller: Principal): Promise<AppRow[]> {
    return this.apps.list(caller);
  }

  private async save(app: AppRow, change: Partial<AppRow>): Promise<AppRow> {
    const full = { ...change, version: await this.apps.nextVersion(), updated_at: new Date() };
    await this.apps.update(app.id, full);
    const row = { ...app, ...full };
    this.announce(row);
    return row;
  }

  private announce(row: AppRow): void {
    void this.jobs.wake(appChanged, { app_id: row.id, version: row.version });
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

function declared(settings: SignatureSettings): AppRow['signature'] {
  return {
    ...settings,
    ...(settings.header ? { header: settings.header.toLowerCase() } : {}),
    secret_fields: ['signing_secret', 'signing_secret_next'],
  };
}
