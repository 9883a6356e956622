import { appChanged, newId } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { AdaptersService } from '../adapters/adapters.service.js';
import type { GatewaySettings } from '../env.js';
import { gatewaySettings } from '../settings.js';
import type { AppRow } from './app.entity.js';
import type { ChangeApp, InstallApp, SignatureSettings } from './app.dto.js';
import { AppCredentials } from './app-credentials.js';
import { AppRepository } from './app.repository.js';
import { adapterApp } from './adapter-app.js';
import { namedForDirection } from './direction.js';
import { newToken, rotatedToken } from './webhook-token.js';

const defaultMaxBodyBytes = 1_048_576;
const directApp: Pick<AppRow, 'adapter_id' | 'provider' | 'capabilities'> = {
  adapter_id: null,
  provider: null,
  capabilities: ['send', 'receive'],
};

/** Installs and changes Apps; every change is announced to the ingress. */
@Injectable()
export class AppsService {
  constructor(
    @Inject(AppRepository) private readonly apps: AppRepository,
    @Inject(AdaptersService) private readonly adapters: AdaptersService,
    @Inject(AppCredentials) private readonly credentials: AppCredentials,
    @Inject(JobClient) private readonly jobs: JobClient,
    @Inject(gatewaySettings) private readonly settings: GatewaySettings,
  ) {}

  /**
   * @throws Problem 422 `adapter_required | skill_only | signature_not_applicable | capability_not_offered |
   *   credential_not_found`, 404 `adapter_not_found`, 409 `app_exists` (a project has one App per provider)
   */
  async install(caller: Principal, body: InstallApp): Promise<AppRow> {
    if (body.kind === 'adapter' && !body.adapter_id) {
      throw new Problem(422, 'adapter_required', 'An App of kind adapter needs adapter_id.');
    }
    const adapter = body.kind === 'adapter' ? await this.adapters.get(caller, body.adapter_id ?? '') : null;
    if (body.credential_id) await this.credentials.named(caller, body.credential_id);
    const now = new Date();
    const row: AppRow = {
      id: newId('app'),
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      ...(adapter ? adapterApp(adapter, body) : { ...directApp, name: body.name }),
      kind: body.kind,
      credential_id: body.credential_id ?? null,
      state: 'active',
      webhook_token: newToken(),
      previous_token_hash: null,
      previous_token_until: null,
      retired_token_hashes: [],
      signature: body.signature ? declared(body.signature) : null,
      max_body_bytes: body.max_body_bytes ?? adapter?.manifest.webhook?.max_body_bytes ?? defaultMaxBodyBytes,
      origin_marker: randomBytes(16).toString('hex'),
      self: null,
      renewal_failure: null,
      version: await this.apps.nextVersion(),
      created_at: now,
      updated_at: now,
    };
    if (!(await this.apps.insert(row))) {
      const detail = `This project has an App of ${row.provider} already: Skills share it and its credential.`;
      throw new Problem(409, 'app_exists', detail);
    }
    this.announce(row);
    return row;
  }

  /** @throws Problem 404; 422 `credential_not_found` */
  async change(caller: Principal, id: string, body: ChangeApp): Promise<AppRow> {
    const app = await this.get(caller, id);
    if (body.credential_id) await this.credentials.named(caller, body.credential_id);
    const changed = await this.save(app, {
      ...(body.name === undefined ? {} : { name: nameOf(app, body.name) }),
      ...(body.state === undefined ? {} : { state: body.state }),
      ...(body.credential_id === undefined ? {} : { credential_id: body.credential_id }),
      ...(body.max_body_bytes === undefined ? {} : { max_body_bytes: body.max_body_bytes }),
      ...(body.signature === undefined ? {} : { signature: declared(body.signature) }),
      ...(body.signature_off ? { signature: null } : {}),
    });
    if (app.credential_id !== null && changed.credential_id !== app.credential_id) await this.credentials.release(app);
    return changed;
  }

  /** A new webhook token; the old one works on for the grace period, and answers 410 from then on. */
  async rotateToken(caller: Principal, id: string, graceMs = this.settings.TOKEN_GRACE_MS): Promise<AppRow> {
    const app = await this.get(caller, id);
    return this.save(app, rotatedToken(app, graceMs));
  }

  async retire(caller: Principal, id: string): Promise<void> {
    const app = await this.get(caller, id);
    await this.save(app, { state: 'retired' });
    if (app.credential_id !== null) await this.credentials.release(app);
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

function nameOf(app: AppRow, name: string): string {
  return app.kind === 'adapter' ? namedForDirection(name, app.capabilities) : name;
}

function declared(settings: SignatureSettings): AppRow['signature'] {
  return {
    ...settings,
    ...(settings.header ? { header: settings.header.toLowerCase() } : {}),
    secret_fields: ['signing_secret', 'signing_secret_next'],
  };
}
