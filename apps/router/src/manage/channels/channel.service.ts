import { columnsOf, type Endpoint, idDigits } from '#libs/contracts';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { NamedAgents } from '../agents/named-agents.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { GATEWAY } from '../../env.js';
import { defaultFailureNotice, defaultLimitNotice } from '../../entities/rules.entity.js';
import type { RuleFields } from '../../entities/rule-version.entity.js';
import type { Restored, Rule } from '../history/rule-history.js';
import { ChannelRepository } from './channel.repository.js';
import { ChannelSettings } from './channel-settings.dto.js';
import { type ChannelView, channelView } from './channel.dto.js';

/** A channel as it is stored; one that was never configured has no update time. */
type Stored = Omit<ChannelView, 'notes'>;

@Injectable()
export class ChannelService {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly rules: ProjectRules,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly agents: NamedAgents,
  ) {}

  async list({ organizationId, projectId }: Principal): Promise<ChannelView[]> {
    return (await this.channels.list(organizationId, projectId)).map(channelView);
  }

  /** @throws Problem 404 */
  async get(caller: Principal, appId: string): Promise<ChannelView> {
    const row = await this.channels.find(caller.organizationId, caller.projectId, appId);
    if (row) return channelView(row);
    if (!isAppId(appId)) throw notFound('app', appId);
    return channelView(await this.defaults(caller, appId));
  }

  /** What the settings leave out gets its default. @throws Problem 404, 422; 409 `version_changed` */
  async set(
    caller: Principal,
    appId: string,
    settings: ChannelSettings,
    restored: Restored | null = null,
  ): Promise<void> {
    await this.check(caller, appId, settings);
    const channel = channelOf(caller, appId, settings);
    if (restored) await this.channels.checkRestore(caller, appId, restored);
    await this.setReplyAddress(caller, appId, channel.reply_address);
    const defaults = await this.defaults(caller, appId);
    await this.channels.change(caller, defaults, { ...channel, updated_at: new Date() }, restored);
    this.rules.forget(caller.projectId);
  }

  /** What the settings leave out stays as it is. @throws Problem 404, 422 */
  async change(caller: Principal, appId: string, settings: ChannelSettings): Promise<void> {
    await this.check(caller, appId, settings);
    const defaults = await this.defaults(caller, appId);
    const named = namedIn(settings);
    const whole = channelOf(caller, appId, {
      ...defaults,
      ...Object.fromEntries(named.map((field) => [field, settings[field]])),
    });
    const change = Object.fromEntries(named.map((field) => [field, whole[field]]));
    if (named.includes('reply_address')) await this.setReplyAddress(caller, appId, whole.reply_address);
    await this.channels.change(caller, defaults, change, null);
    this.rules.forget(caller.projectId);
  }

  /** @throws Problem 404 */
  async rule(caller: Principal, appId: string): Promise<Rule> {
    await this.get(caller, appId);
    return { kind: 'channel', subject: appId };
  }

  /** @throws Problem as `set` */
  async restore(caller: Principal, appId: string, fields: RuleFields, restored: Restored): Promise<ChannelView> {
    await this.set(caller, appId, fields as ChannelSettings, restored);
    return this.get(caller, appId);
  }

  private async check(caller: Principal, appId: string, settings: ChannelSettings): Promise<void> {
    if (!isAppId(appId)) throw new Problem(422, 'invalid_app_id', 'An App id looks like app_0123....');
    if (namedIn(settings).length === 0) throw nothingToChange();
    await this.agents.require(caller, settings.agent_id);
  }

  /**
   * Checks App and address. Before the row, so that only what the gateway accepted is stored here; repeating the
   * request repairs the rest.
   */
  private async setReplyAddress(caller: Principal, appId: string, reply_address: string | null): Promise<void> {
    await this.gateway.put(`/internal/apps/${appId}/reply-address`, caller, { reply_address });
  }

  /** Of an App whose channel was never set up. @throws Problem 404 `app_not_found` */
  private async defaults(caller: Principal, appId: string): Promise<Stored> {
    const { kind } = await this.gateway.get<Pick<Endpoint, 'kind'>>(`/internal/apps/${appId}`, caller);
    const isBuiltin = kind === 'builtin';
    const inForce = {
      unknown_senders: isBuiltin ? null : 'hold',
      inbox_mode: isBuiltin ? 'queue' : 'collect',
    } as const;
    return channelOf(caller, appId, inForce);
  }
}

/** The settings that a body names. */
function namedIn(body: ChannelSettings): (keyof ChannelSettings)[] {
  const fields = Object.keys(body) as (keyof ChannelSettings)[];
  return fields.filter((field) => body[field] !== undefined);
}

function nothingToChange(): Problem {
  const detail =
    'The body names no setting, so nothing was changed. PATCH changes the settings that it names; PUT sets all of them.';
  return new Problem(422, 'nothing_to_change', detail);
}

function isAppId(text: string): boolean {
  return new RegExp(`^app_${idDigits('app')}$`).test(text);
}

function channelOf(caller: Principal, appId: string, given: ChannelSettings): Stored {
  return {
    app_id: appId,
    ...columnsOf(caller),
    agent_id: given.agent_id ?? null,
    route_policy: given.route_policy ?? 'both',
    bots: given.bots ?? 'triggers_only',
    automatic: given.automatic ?? 'triggers_only',
    reply_address: given.reply_address ?? null,
    session_scope: given.session_scope ?? 'thread',
    unknown_senders: given.unknown_senders ?? null,
    inbox_mode: given.inbox_mode ?? null,
    idle_reset_minutes: given.idle_reset_minutes ?? null,
    daily_reset_hour: given.daily_reset_hour ?? null,
    failure_notice: given.failure_notice === undefined ? defaultFailureNotice : given.failure_notice,
    limit_notice: given.limit_notice === undefined ? defaultLimitNotice : given.limit_notice,
    reply_ttl_seconds: given.reply_ttl_seconds ?? null,
    updated_at: null,
  };
}
