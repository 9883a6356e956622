import { schemeProblem } from '#libs/adapter-sdk';
import { AuditLog } from '#libs/audit';
import { appChanged, columnsOf, newId, type ProjectScope, scopeOf, type TextFrom } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { notFound, type Principal, Problem, requireApprovalsManage } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { declarationsOf } from '../../path/apps/app-credentials.js';
import { capabilitiesOf, InstalledApps } from '../../path/apps/installed-apps.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import type { ChangeApp, InstallApp } from './app.dto.js';
import type { SignatureSettings } from './signature-settings.dto.js';
import { AppBindings } from './app-bindings.js';
import { AdapterGone, AppExists, AppRepository, type LinkChange, type Noted } from './app.repository.js';
import { adapterApp, offered } from './adapter-app.js';
import { chosenSender } from './chosen-sender.js';
import { CredentialChoice } from './credential-choice.js';
import { namedForDirection } from './direction.js';
import { withLowerCaseHeaders } from './endpoint-projection.js';
import { SigningKeys } from './signing-keys.js';
import { requireReplyAddress } from './reply-address.js';
import { TokenSeal } from '../webhook-tokens/token-seal.js';
import { newToken, rotatedToken } from '../webhook-tokens/webhook-token.js';

const defaultMaxBodyBytes = 1_048_576;
const directApp: Pick<AppRow, 'adapter_id' | 'provider' | 'capabilities'> = {
  adapter_id: null,
  provider: null,
  capabilities: ['send', 'receive'],
};

/** Installs and changes Apps; every change is announced to the ingress. */
@Injectable()
export class AppService {
  constructor(
    private readonly apps: AppRepository,
    private readonly adapters: AdapterRepository,
    private readonly choice: CredentialChoice,
    private readonly bindings: AppBindings,
    private readonly installed: InstalledApps,
    private readonly keys: SigningKeys,
    private readonly audit: AuditLog,
    private readonly jobs: JobClient,
    private readonly seal: TokenSeal,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /**
   * @throws Problem 422 `adapter_required | adapter_not_applicable | skill_only | signature_not_applicable |
   * capability_not_offered | weak_secret | credential_*` (as `CredentialChoice.choose`), 404 `adapter_not_found`, 409 `app_exists` (a
   * project has one App per provider)
   */
  async install(caller: Principal, body: InstallApp): Promise<AppRow> {
    if (body.kind === 'adapter' && !body.adapter_id) {
      throw new Problem(422, 'adapter_required', 'An App of kind adapter needs adapter_id.');
    }
    if (body.kind === 'builtin' && body.adapter_id !== undefined) {
      throw new Problem(
        422,
        'adapter_not_applicable',
        'The built-in Webhook app has no adapter: leave adapter_id out.',
      );
    }
    const adapter = body.kind === 'adapter' ? await this.adapterOf(caller, body.adapter_id ?? '') : null;
    const unsigned = { sender: null, reading: null, signature: body.signature ? declared(body.signature) : null };
    const chosen = chosenSender(body.kind, body, unsigned, body.signature !== undefined);
    const { signature } = chosen;
    const declarations = declarationsOf({ signature }, adapter?.manifest ?? null);
    const credentials = await this.choice.choose(caller, declarations, body);
    const now = new Date();
    const id = newId('app');
    const row: AppRow = {
      id,
      ...columnsOf(caller),
      ...(adapter ? adapterApp(adapter, body) : { ...directApp, name: body.name }),
      kind: body.kind,
      credentials,
      bindings_due_at: Object.keys(credentials).length > 0 ? AppBindings.dueAt() : null,
      state: 'active',
      ...newToken(id, this.seal),
      previous_token_hash: null,
      previous_token_until: null,
      retired_token_hashes: [],
      project_closed: false,
      ...chosen,
      text_from: textFrom(caller, body.kind, body.text_from),
      max_body_bytes: body.max_body_bytes ?? adapter?.manifest.webhook?.max_body_bytes ?? defaultMaxBodyBytes,
      origin_marker: randomBytes(16).toString('hex'),
      has_reply_address: false,
      reply_address: null,
      self: null,
      renewal_failure: null,
      version: await this.apps.nextVersion(),
      created_at: now,
      updated_at: now,
    };
    await this.keys.require(caller, { app: row, adapter });
    await this.insert(row, this.notedText(caller, row, null));
    // The App is not announced yet: it is bound before anything can arrive for it.
    if (row.bindings_due_at) await this.bindings.trySettle(row);
    this.announce(row);
    return row;
  }

  /**
   * A declaration that is not named in `credentials` keeps its record.
   * @throws Problem 404; 422 `capability_not_offered`, `weak_secret`; those of `CredentialChoice.choose` and of the vault
   */
  async change(caller: Principal, id: string, body: ChangeApp): Promise<AppRow> {
    const app = await this.get(caller, id);
    const adapter = app.adapter_id ? await this.adapterOf(caller, app.adapter_id) : null;
    const manifest = adapter?.manifest ?? null;
    const given = body.signature ? declared(body.signature) : body.signature_off ? null : app.signature;
    const signs = body.signature !== undefined || body.signature_off === true;
    const chosen = chosenSender(app.kind, body, { ...app, signature: given }, signs);
    const { sender, reading, signature } = chosen;
    const links = await this.choice.choose(caller, declarationsOf(app, manifest), body, app.credentials);
    const relinked = JSON.stringify(links) !== JSON.stringify(app.credentials);
    const rebound = relinked || JSON.stringify(signature) !== JSON.stringify(app.signature);
    if (rebound) await this.keys.require(caller, { app: { ...app, credentials: links, signature }, adapter });
    // A secret whose check is turned off stays readable until nobody checks it any more.
    if (rebound) await this.bindFirst({ ...app, credentials: links, signature: signature ?? app.signature });
    const capabilities = adapter && body.capabilities ? offered(adapter, body.capabilities) : app.capabilities;
    const name = body.name ?? app.name;
    const changed = await this.save(
      app,
      {
        name: adapter ? namedForDirection(name, capabilitiesOf({ capabilities }, adapter.manifest)) : name,
        capabilities,
        ...(body.state === undefined ? {} : { state: body.state }),
        ...(rebound ? { bindings_due_at: AppBindings.dueAt() } : {}),
        ...(body.max_body_bytes === undefined ? {} : { max_body_bytes: body.max_body_bytes }),
        sender,
        reading,
        signature,
        text_from: textFrom(caller, app.kind, body.text_from, app.text_from),
      },
      relinked ? linkChange(app.credentials, links) : undefined,
      caller,
    );
    if (rebound) await this.bindings.trySettle(changed);
    return changed;
  }

  /** Makes a new webhook token; the old one works for the grace period, and answers 410 after it. */
  async rotateToken(caller: Principal, id: string, graceMs = this.settings.TOKEN_GRACE_MS): Promise<AppRow> {
    const app = await this.get(caller, id);
    return this.save(app, rotatedToken(app, this.seal, graceMs));
  }

  /** Stops or resumes the webhooks of a project: here at once, elsewhere with the ingress' next poll. */
  async projectClosed(project: ProjectScope, closed: boolean): Promise<void> {
    for (const app of await this.apps.list(project)) {
      if (app.project_closed !== closed) await this.save(app, { project_closed: closed });
    }
  }

  /**
   * Announces the Apps of a project that has arrived from another installation. The versions with which their rows came are
   * older than those of changes since, beyond which the ingress does not look back.
   */
  async projectArrived(project: ProjectScope): Promise<void> {
    for (const app of await this.apps.list(project)) await this.save(app, { project_closed: false });
  }

  async retire(caller: Principal, id: string): Promise<void> {
    const app = await this.get(caller, id);
    const retired = await this.save(app, { state: 'retired', bindings_due_at: AppBindings.dueAt() });
    await this.bindings.trySettle(retired);
  }

  /**
   * Checks the reply address of the App's channel, which the router is about to store, and records whether there is
   * one.
   * @param address null: none
   * @throws Problem 404; 422 `invalid_reply_address`
   */
  async noteReplyAddress(caller: Principal, id: string, address: string | null): Promise<AppRow> {
    const app = await this.get(caller, id);
    if (address !== null) requireReplyAddress(app, address);
    if (app.reply_address === address && app.has_reply_address === (address !== null)) return app;
    return this.save(app, { has_reply_address: address !== null, reply_address: address });
  }

  /** @throws Problem 422 `app_cannot_send`, `invalid_reply_address` */
  async checkAddress(caller: ProjectScope, id: string, address: string): Promise<AppRow> {
    const app = await this.get(caller, id);
    if (!app.capabilities.includes('send')) {
      throw new Problem(422, 'app_cannot_send', `${app.name} has no send capability: install it with that.`);
    }
    requireReplyAddress(app, address);
    return app;
  }

  /** Stores the App's identity at its provider, from `/verify`. */
  async rememberSelf(app: AppRow, self: Record<string, unknown>): Promise<void> {
    await this.save(app, { self });
  }

  async get(caller: ProjectScope, id: string): Promise<AppRow> {
    const row = await this.apps.find(caller, id);
    if (!row || row.state === 'retired') throw notFound('app', id);
    return row;
  }

  list(caller: Principal): Promise<AppRow[]> {
    return this.apps.list(caller);
  }

  private async adapterOf(caller: Principal, id: string): Promise<AdapterRow> {
    const row = await this.adapters.find(caller, id);
    if (!row) throw notFound('adapter', id);
    return row;
  }

  /** @throws Problem 409 `app_exists`, 404 `adapter_not_found` */
  private async insert(row: AppRow, noted: Noted | undefined): Promise<void> {
    try {
      await this.apps.insert(row, noted);
    } catch (error) {
      if (error instanceof AdapterGone) throw notFound('adapter', row.adapter_id ?? '');
      if (!(error instanceof AppExists)) throw error;
      const detail = `This project already has an App of ${row.provider}: Skills share it and its credentials.`;
      throw new Problem(409, 'app_exists', detail);
    }
  }

  /**
   * Binds records before the App's row names them: whoever reads the row must find them bound. The row is marked due
   * first, so that the sweep cleans up after a crash.
   */
  private async bindFirst(app: AppRow): Promise<void> {
    await this.apps.update(app.id, { bindings_due_at: AppBindings.dueAt() });
    await this.bindings.add(app);
  }

  /** @param by who makes a change that may affect the trust in the App's text */
  private async save(app: AppRow, change: Partial<AppRow>, links?: LinkChange, by?: Principal): Promise<AppRow> {
    const full = { ...change, version: await this.apps.nextVersion(), updated_at: new Date() };
    const noted = by && this.notedText(by, { ...app, ...full }, app.text_from);
    await this.apps.update(app.id, full, links, noted);
    const row = links ? await this.get(scopeOf(app), app.id) : { ...app, ...full };
    this.announce(row);
    return row;
  }

  /** The audit entry for a change of `text_from`; undefined where it stays. */
  private notedText(by: Principal, { id, text_from }: AppRow, before: TextFrom | null): Noted | undefined {
    if (text_from === (before ?? 'people')) return undefined;
    const change = { before: before && { text_from: before }, after: { text_from } };
    return (tx) => this.audit.append(tx, by, { action: 'app.text_from_set', subject: id, ...change });
  }

  private announce(row: AppRow): void {
    this.installed.forget();
    void this.jobs.enqueue(appChanged, { app_id: row.id, version: row.version });
  }
}

/**
 * Who writes the text from now on.
 * @throws Problem 422 `text_from_not_applicable`; 403 `scope_missing` for a change that makes turns trust the text more
 */
function textFrom(caller: Principal, kind: AppRow['kind'], wanted?: TextFrom, now: TextFrom = 'people'): TextFrom {
  if (wanted === undefined || wanted === now) return now;
  if (kind === 'adapter') {
    const what =
      'text_from is only for the built-in Webhook app: in an App of an adapter, text is trusted by its sender.';
    throw new Problem(422, 'text_from_not_applicable', what);
  }
  if (wanted === 'system') requireApprovalsManage(caller, 'Trusting the text of an App');
  return wanted;
}

/** @throws Problem 422 `signature_options` for options that contradict each other, or would have no effect */
function declared(settings: SignatureSettings): AppRow['signature'] {
  const problem = schemeProblem(settings);
  if (problem !== null) throw new Problem(422, 'signature_options', `${problem}.`);
  return withLowerCaseHeaders({ ...settings, secret_fields: ['signing_secret', 'signing_secret_next'] });
}

function linkChange(before: AppRow['credentials'], now: AppRow['credentials']): LinkChange {
  const changed = Object.entries(now).filter(([key, id]) => before[key] !== id);
  return { linked: Object.fromEntries(changed), unlinked: Object.keys(before).filter((key) => !(key in now)) };
}
