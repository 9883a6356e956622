import { columnsOf, type Endpoint } from '#libs/contracts';
import {
  Caller,
  Edits,
  notFound,
  type Principal,
  Problem,
  RequireScopes,
  type ServiceClient,
  ShowsEntityTag,
  TagsWithout,
} from '#libs/service-kit';
import { Body, Controller, Get, Inject, Param, Patch, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NamedAgents } from '../agents/named-agents.js';
import { ProjectRules } from '../../path/rules/project-rules.js';
import { GATEWAY } from '../../env.js';
import { defaultLimitNotice } from '../../entities/rules.entity.js';
import { ChannelRepository } from './channel.repository.js';
import { ChannelSettings } from './channel-settings.dto.js';
import { ChannelPage, type ChannelView, channelView, WarnedChannelView } from './channel.dto.js';
import { ChannelWarnings } from './channel-warnings.js';
import { defaultFailureNotice } from '../../path/routing/decide.js';

@ApiTags('channels')
@Controller('api/v1/channels')
export class ChannelController {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly rules: ProjectRules,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly agents: NamedAgents,
    private readonly warnings: ChannelWarnings,
  ) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listChannels', summary: 'List channels that were set up; others use the defaults' })
  @ApiOkResponse({ type: ChannelPage })
  async list(@Caller() caller: Principal): Promise<ChannelPage> {
    const rows = await this.channels.list(caller.organizationId, caller.projectId);
    return { data: rows.map(channelView), next_cursor: null };
  }

  @Get(':appId')
  @ShowsEntityTag()
  @TagsWithout('warnings')
  @RequireScopes('channels:read')
  @ApiOperation({
    operationId: 'getChannel',
    summary: 'Read the channel of an App: its settings, or the defaults',
  })
  @ApiOkResponse({ type: WarnedChannelView })
  async get(@Caller() caller: Principal, @Param('appId') appId: string): Promise<WarnedChannelView> {
    const row = await this.channels.find(caller.organizationId, caller.projectId, appId);
    if (row) return this.warned(caller, channelView(row));
    if (!isAppId(appId)) throw notFound('app', appId);
    return this.warned(caller, channelView(defaultsOf(caller, await this.requireApp(caller, appId))));
  }

  @Put(':appId')
  @TagsWithout('warnings')
  @Edits<ChannelController>((controller, caller, appId) => controller.get(caller, appId), 'appId')
  @RequireScopes('channels:write')
  @ApiOperation({
    operationId: 'setChannel',
    summary: 'Set all settings of a channel; what the body leaves out gets its default',
  })
  @ApiOkResponse({ type: WarnedChannelView })
  async set(
    @Caller() caller: Principal,
    @Param('appId') appId: string,
    @Body() body: ChannelSettings,
  ): Promise<WarnedChannelView> {
    await this.check(caller, appId, body);
    const channel = channelOf(caller, appId, body);
    await this.setReplyAddress(caller, appId, channel.reply_address);
    await this.channels.save({ ...channel, updated_at: new Date() });
    this.rules.forget(caller.projectId);
    return this.get(caller, appId);
  }

  @Patch(':appId')
  @TagsWithout('warnings')
  @Edits<ChannelController>((controller, caller, appId) => controller.get(caller, appId), 'appId')
  @RequireScopes('channels:write')
  @ApiOperation({
    operationId: 'changeChannel',
    summary: 'Change settings of a channel; what the body leaves out stays as it is',
  })
  @ApiOkResponse({ type: WarnedChannelView })
  async change(
    @Caller() caller: Principal,
    @Param('appId') appId: string,
    @Body() body: ChannelSettings,
  ): Promise<WarnedChannelView> {
    await this.check(caller, appId, body);
    const before = defaultsOf(caller, await this.requireApp(caller, appId));
    const named = namedIn(body);
    const whole = channelOf(caller, appId, {
      ...before,
      ...Object.fromEntries(named.map((field) => [field, body[field]])),
    });
    const change = Object.fromEntries(named.map((field) => [field, whole[field]]));
    if (named.includes('reply_address')) await this.setReplyAddress(caller, appId, whole.reply_address);
    await this.channels.change({ ...whole, updated_at: new Date() }, change);
    this.rules.forget(caller.projectId);
    return this.get(caller, appId);
  }

  private async warned(caller: Principal, channel: ChannelView): Promise<WarnedChannelView> {
    return { ...channel, warnings: await this.warnings.of(caller, channel) };
  }

  private async check(caller: Principal, appId: string, body: ChannelSettings): Promise<void> {
    if (!isAppId(appId)) throw new Problem(422, 'invalid_app_id', 'An App id looks like app_0123....');
    if (namedIn(body).length === 0) throw nothingToChange();
    await this.agents.require(caller, body.agent_id);
  }

  /**
   * Checks App and address. Before the row, so that only what the gateway accepted is stored here; repeating the
   * request repairs the rest.
   */
  private async setReplyAddress(caller: Principal, appId: string, reply_address: string | null): Promise<void> {
    await this.gateway.put(`/internal/apps/${appId}/reply-address`, caller, { reply_address });
  }

  /** @throws Problem 404 `app_not_found` */
  private requireApp(caller: Principal, appId: string): Promise<InstalledApp> {
    return this.gateway.get<InstalledApp>(`/internal/apps/${appId}`, caller);
  }
}

/** A channel as it is stored; one that was never configured has no update time. */
type Stored = Omit<ChannelView, 'notes'>;

type InstalledApp = Pick<Endpoint, 'kind'> & { id: string };

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
  return /^app_[0-9a-f]{32}$/.test(text);
}

/** The defaults of an App whose channel was never configured. */
function defaultsOf(caller: Principal, { id, kind }: InstalledApp): Stored {
  const builtin = kind === 'builtin';
  const inForce = { unknown_senders: builtin ? null : 'hold', inbox_mode: builtin ? 'queue' : 'collect' } as const;
  return channelOf(caller, id, inForce);
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
