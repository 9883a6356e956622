import type { Manifest } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { capabilitiesOf } from '../../path/apps/installed-apps.js';
import { type AppCredentialState, AppCredentialViews } from './app-credential-views.js';
import type { AppRow } from '../../entities/app.entity.js';
import { conditionOf } from './app-condition.js';
import { NewestReplyRepository } from './newest-reply.repository.js';
import type { AppView } from './app-view.dto.js';
import { warningsOf } from './app-warnings.js';
import { directionOf } from './direction.js';
import { TroubledConnections } from './troubled-connections.js';
import { TokenSeal } from '../webhook-tokens/token-seal.js';
import { type AddressHidden, type WebhookAddress, webhookAddress } from './webhook-address.js';

@Injectable()
export class AppViews {
  constructor(
    private readonly adapters: AdapterRepository,
    private readonly credentials: AppCredentialViews,
    private readonly seal: TokenSeal,
    private readonly replies: NewestReplyRepository,
    private readonly connections: TroubledConnections,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  async of(row: AppRow, caller: Pick<Principal, 'scopes'>): Promise<AppView> {
    return (await this.all([row], caller))[0]!;
  }

  /** @param rows of one project */
  async all(rows: AppRow[], caller: Pick<Principal, 'scopes'>): Promise<AppView[]> {
    const adapters = await this.adapters.byIds(rows.flatMap((row) => row.adapter_id ?? []));
    const byId = new Map(adapters.map((adapter) => [adapter.id, adapter]));
    const adapterOf = (row: AppRow) => byId.get(row.adapter_id ?? '');
    const { DELIVERY_ATTENTION_MS: waitedMs, CONNECTION_ATTENTION_MS: silentMs } = this.settings;
    const [first] = rows;
    const [states, replies, troubled] = await Promise.all([
      this.credentials.of(rows.map((app) => ({ app, manifest: adapterOf(app)?.manifest ?? null }))),
      first ? this.replies.newest(first.project_id, waitedMs) : [],
      first ? this.connections.ofProject(scopeOf(first), silentMs) : [],
    ]);
    return rows.map((row, at) => {
      const adapter = adapterOf(row);
      const address = this.address(row, adapter?.manifest ?? null, caller);
      const skill_id = adapter?.skill?.skill_id ?? null;
      const shown = this.shown(row, adapter?.manifest ?? null, adapter?.disabled === true, states[at]!);
      const newest = replies.find(({ app_id }) => app_id === row.id);
      const connection = troubled.find(({ app_id }) => app_id === row.id);
      return { skill_id, ...shown, ...address, condition: conditionOf(shown, adapter, newest, connection) };
    });
  }

  /** The webhook URL, for the platform itself; null for an App that does not receive. */
  webhookUrl(row: AppRow, manifest: Manifest | null): string | null {
    return this.address(row, manifest, null).webhook_url;
  }

  /** The path of the webhook URL below PUBLIC_URL, or why there is none. */
  webhookPath(row: AppRow, manifest: Manifest | null): string | { hidden: AddressHidden } {
    const { webhook_path: path, webhook_hidden: hidden } = this.address(row, manifest, null);
    return path ?? { hidden: hidden ?? 'does_not_receive' };
  }

  private address(row: AppRow, manifest: Manifest | null, caller: Pick<Principal, 'scopes'> | null): WebhookAddress {
    return webhookAddress(row, manifest, caller, { seal: this.seal, publicUrl: this.settings.PUBLIC_URL });
  }

  private shown(
    row: AppRow,
    manifest: Manifest | null,
    disabled: boolean,
    state: AppCredentialState,
  ): Omit<AppView, keyof WebhookAddress | 'skill_id' | 'condition'> {
    const {
      token_hash: _hash,
      sealed_token: _sealed,
      retired_token_hashes: _hashes,
      previous_token_hash: _previous,
      organization_id: _organization,
      origin_marker: _marker,
      has_reply_address: _hasReplyAddress,
      reply_address: _replyAddress,
      project_closed: _closed,
      self: _self,
      bindings_due_at: _due,
      credentials: _links,
      ...shown
    } = row;
    const capabilities = capabilitiesOf(row, manifest);
    return {
      ...shown,
      ...state,
      capabilities,
      withdrawn_capabilities: row.capabilities.filter((one) => !capabilities.includes(one)),
      held_reason: row.state === 'paused' ? 'paused' : disabled && row.state === 'active' ? 'adapter_disabled' : null,
      direction: directionOf(capabilities),
      warnings: warningsOf({ ...row, capabilities }),
    };
  }
}

const scopeOf = ({ organization_id, project_id }: AppRow): ProjectScope => ({
  organizationId: organization_id,
  projectId: project_id,
});
