import { attentionAtMost, type AttentionItem } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { waitsForCredential } from '../../path/apps/credential-waits.js';
import type { AdapterRow, AppRow } from '../../entities/app.entity.js';
import { AdapterService } from '../registration/adapter.service.js';
import { AppViews } from '../apps/app-views.js';
import type { AppView } from '../apps/app-view.dto.js';
import { AppService } from '../apps/app.service.js';
import { SigningKeys } from '../apps/signing-keys.js';
import { type TroubledConnection, TroubledConnections } from '../apps/troubled-connections.js';
import { AdapterRepository } from '../adapters/adapter.repository.js';
import { type WaitingGroup, WaitingReplies } from '../deliveries/waiting-replies.js';
import { type GatewaySettings, SETTINGS } from '../../env.js';
import { AttentionRepository } from './attention.repository.js';

/** The Apps, adapters and sources of a project that do not work, or wait for a person. */
@Injectable()
export class AttentionService {
  constructor(
    private readonly apps: AppService,
    private readonly views: AppViews,
    private readonly adapters: AdapterService,
    private readonly rows: AttentionRepository,
    private readonly keys: SigningKeys,
    private readonly troubled: TroubledConnections,
    private readonly adapterRows: AdapterRepository,
    private readonly waiting: WaitingReplies,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  async of(caller: Principal): Promise<AttentionItem[]> {
    const rows = await this.apps.list(caller);
    const [apps, weak, adapters, manifests, sources, replies, connections] = await Promise.all([
      this.views.all(rows, caller),
      this.weakKeys(caller, rows),
      this.adapters.list(caller),
      this.rows.waitingManifests(caller),
      this.rows.failingSources(caller),
      this.waiting.ofProject(caller, this.settings.DELIVERY_ATTENTION_MS),
      this.troubled.ofProject(caller, this.settings.CONNECTION_ATTENTION_MS),
    ]);
    const names = new Map(apps.map(({ id, name }) => [id, name]));
    return [
      ...apps.flatMap(ofApp).slice(0, attentionAtMost),
      ...apps.flatMap((app) => ofWeakKeys(app, weak.get(app.id) ?? [])).slice(0, attentionAtMost),
      ...adapters.flatMap(ofAdapter).slice(0, attentionAtMost),
      ...connections.flatMap((each) => ofConnection(each, names.get(each.app_id) ?? each.app_id)),
      ...replies.map((group) => ofReplies(group, names.get(group.app_id) ?? group.app_id)),
      ...manifests.map(({ adapter_id: id, slug, number, since }): AttentionItem => ({
        code: 'manifest_waits',
        severity: 'warning',
        text: `${slug}: version ${number} of its manifest waits for approval.`,
        what_to_do: 'Review what it changes, and approve it.',
        ...adapterOf(id),
        since: since.toISOString(),
      })),
      ...sources.map(({ id, name, failure }): AttentionItem => ({
        code: 'source_failing',
        severity: 'error',
        text: `The source ${name} does not synchronise: ${failure.error}`,
        what_to_do: failure.what_to_do ?? 'See its last run.',
        resource: { kind: 'source', id },
        count: 1,
        since: failure.since,
        scope: 'apps:read',
      })),
    ];
  }

  private async weakKeys(caller: Principal, rows: AppRow[]): Promise<Map<string, string[]>> {
    const adapters = await this.adapterRows.byIds(rows.flatMap((row) => row.adapter_id ?? []));
    const byId = new Map(adapters.map((adapter) => [adapter.id, adapter]));
    const checked = rows.map((app) => ({ app, adapter: byId.get(app.adapter_id ?? '') ?? null }));
    return this.keys.problemsOf(caller, checked);
  }
}

/** An App hears nothing, or has missed something: nobody else would say so. */
function ofConnection(connection: TroubledConnection, name: string): AttentionItem[] {
  const { app_id: id, state, reason, error_detail: detail, since, gap, failing, degraded } = connection;
  const common = { resource: { kind: 'app' as const, id }, count: 1, scope: 'apps:read' as const };
  const span = [gap?.since && ` from ${gap.since}`, gap?.until && ` until ${gap.until}`].filter(Boolean).join('');
  const missed: AttentionItem[] = gap
    ? [
        {
          ...common,
          code: 'connection_gap',
          severity: 'warning',
          text: `${name}: messages${span} are missing (${gap.reason}): its provider does not have them any more.`,
          what_to_do: 'Look at the provider for what was written in that time.',
          since: gap.since ?? null,
        },
      ]
    : [];
  if (degraded) {
    missed.unshift({
      ...common,
      code: 'connection_degraded',
      severity: 'error',
      text: `${name} hears only a part of its messages (${degraded.error}): ${degraded.message}.`,
      what_to_do:
        'That part is tried again by itself. If it stays, repair what the reason names, on the page of the App.',
      since: degraded.since,
    });
  }
  if (!failing) return missed;
  const retries = state === 'dead' ? 'It is not asked any more' : 'It is asked again';
  return [
    {
      ...common,
      code: 'connection_failing',
      severity: 'error',
      text: `${name} hears nothing: its provider cannot be asked for messages (${reason ?? 'no reason'}): ${detail ?? 'no detail'}.`,
      what_to_do: `${retries}. Repair what the reason names, on the page of the App.`,
      since: since.toISOString(),
    },
    ...missed,
  ];
}

/** A secret that was stored before such secrets were refused, or that its App reads in another way than it was meant. */
function ofWeakKeys(app: AppView, problems: string[]): AttentionItem[] {
  if (problems.length === 0 || app.state === 'retired' || app.state === 'disabled') return [];
  return [
    {
      code: 'weak_secret',
      severity: 'error',
      text: `${app.name}: its signing secret cannot protect, so it accepts no request with it: ${problems.join('; ')}.`,
      what_to_do: 'Store a stronger secret in its credential, and give it to the sender.',
      resource: { kind: 'app', id: app.id },
      count: 1,
      since: null,
      scope: 'apps:read',
    },
  ];
}

function ofApp(app: AppView): AttentionItem[] {
  if (app.state === 'retired' || app.state === 'disabled') return [];
  const resource = { kind: 'app' as const, id: app.id };
  const common = { resource, count: 1, since: null, scope: 'apps:read' as const };
  const items: AttentionItem[] = [];
  if (app.missing.length > 0) {
    const labels = app.credentials.filter(({ key }) => app.missing.includes(key)).map(({ label }) => label);
    const refused = app.capabilities.includes('receive') && app.signature !== null;
    const text = `${app.name}: ${labels.join(', ')} missing${refused ? ', every request is refused' : ''}.`;
    const what_to_do = 'Link a credential, or connect the one that is linked.';
    items.push({ ...common, code: 'credentials_missing', severity: 'error', text, what_to_do });
  }
  if (app.held_reason !== null) {
    const why = app.held_reason === 'paused' ? 'it is paused' : 'its adapter is disabled';
    const text = `${app.name} holds its messages because ${why}.`;
    items.push({
      ...common,
      code: 'app_holds',
      severity: 'warning',
      text,
      what_to_do: 'Resume it when you are ready.',
    });
  }
  if (app.renewal_failure) {
    const { error, since, what_to_do } = app.renewal_failure;
    const text = `${app.name}: the webhook could not be renewed, so its provider will stop sending: ${error}`;
    const advice = what_to_do ?? 'Verify the App.';
    items.push({ ...common, code: 'renewal_failing', severity: 'error', text, what_to_do: advice, since });
  }
  for (const { code, message } of app.warnings) {
    const [what = message, ...toDo] = message.split(/(?<=\.) /);
    items.push({ ...common, code, severity: 'warning', text: `${app.name}: ${what}`, what_to_do: toDo.join(' ') });
  }
  return items;
}

/** Whoever has only this item knows what waits, since when, and what would end the wait. */
function ofReplies({ app_id: id, reason, count, since, next_at: nextAt }: WaitingGroup, name: string): AttentionItem {
  const many = count === 1 ? '1 reply waits' : `${count} replies wait`;
  const next = waitsForCredential(reason) || nextAt === null ? '' : ` The next attempt is at ${nextAt.toISOString()}.`;
  return {
    code: 'replies_wait',
    severity: 'warning',
    text: `${name}: ${many} to be sent again (${reason}).${next}`,
    what_to_do: waitsForCredential(reason)
      ? 'Connect, restore or link its credential: they are sent at once.'
      : 'See what its provider or receiver says at one of the deliveries. They are tried again until then.',
    resource: { kind: 'app', id },
    count,
    since: since.toISOString(),
    scope: 'apps:read',
  };
}

function ofAdapter({
  id,
  slug,
  state,
  state_reason: reason,
  disabled,
  base_url: url,
  checked_at: at,
}: AdapterRow): AttentionItem[] {
  if (disabled || url === null || state === 'ready') return [];
  return [
    {
      code: 'adapter_unready',
      severity: 'error',
      text: `The adapter ${slug} is not ready: ${reason ?? 'it does not say why'}. Its messages and deliveries wait.`,
      what_to_do: `Start the adapter at ${url}, or register the address at which it runs.`,
      ...adapterOf(id),
      since: at?.toISOString() ?? null,
    },
  ];
}

function adapterOf(id: string): Pick<AttentionItem, 'resource' | 'count' | 'scope'> {
  return { resource: { kind: 'adapter', id }, count: 1, scope: 'apps:read' };
}
