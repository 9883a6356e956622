import type { Endpoint } from '#libs/contracts';
import {
  Caller,
  Edits,
  Flag,
  notFound,
  OneOf,
  type Principal,
  Problem,
  RequireScopes,
  type ServiceClient,
  ShowsEntityTag,
  Text,
  Whole,
} from '#libs/service-kit';
import { Body, Controller, Get, Inject, Param, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { NamedAgents } from '../agents/named-agents.js';
import { ProjectRules } from '../routing/project-rules.js';
import { gatewayClient } from '../routing/routing.service.js';
import type { ChannelRow, InboxMode, SessionScope, UnknownSenders } from './channel.entity.js';
import { ChannelRepository } from './channel.repository.js';

class ChannelSettings {
  @Text(100, { optional: true, nullable: true, description: "The agent; the project's Chief of Staff when absent" })
  agent_id?: string | null;
  @Flag({ optional: true, description: 'Messages reach the Chief of Staff (default true)' }) chief_of_staff?: boolean;
  @Flag({ optional: true, description: 'Messages are tried on triggers (default true)' }) triggers?: boolean;
  @Text(2_000, { optional: true, nullable: true, description: 'Where replies go when the message names no address' })
  reply_address?: string | null;
  @OneOf(['thread', 'contact', 'channel'], { optional: true, description: 'What shares a session (default thread)' })
  session_scope?: SessionScope;
  @OneOf(['hold', 'pair', 'open', 'drop'], {
    optional: true,
    nullable: true,
    description: 'Messages from unknown senders (default hold; never of the built-in Webhook app)',
  })
  unknown_senders?: UnknownSenders | null;
  @OneOf(['queue', 'collect'], {
    optional: true,
    nullable: true,
    description: 'What waited while a turn ran: one turn each, or one for all (default; queue for the Webhook app)',
  })
  inbox_mode?: InboxMode | null;
  @Whole(1, 525_600, {
    optional: true,
    nullable: true,
    description: 'A session that was silent for so long starts anew',
  })
  idle_reset_minutes?: number | null;
  @Whole(0, 23, { optional: true, nullable: true, description: 'The hour (UTC) at which sessions start anew' })
  daily_reset_hour?: number | null;
}

@ApiTags('Channels')
@Controller('api/v1/channels')
export class ChannelsController {
  constructor(
    @Inject(ChannelRepository) private readonly channels: ChannelRepository,
    @Inject(ProjectRules) private readonly rules: ProjectRules,
    @Inject(gatewayClient) private readonly gateway: ServiceClient,
    @Inject(NamedAgents) private readonly agents: NamedAgents,
  ) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listChannels', summary: 'Channels that were set up; others use the defaults' })
  async list(@Caller() caller: Principal): Promise<{ data: ChannelRow[]; next_cursor: null }> {
    return { data: await this.channels.list(caller.organizationId, caller.projectId), next_cursor: null };
  }

  @Get(':appId')
  @ShowsEntityTag()
  @RequireScopes('channels:read')
  @ApiOperation({
    operationId: 'getChannel',
    summary: 'The channel of an App: as it was set up, or the defaults that are in force',
  })
  async get(@Caller() caller: Principal, @Param('appId') appId: string): Promise<Channel> {
    const row = await this.channels.find(caller.organizationId, caller.projectId, appId);
    if (row) return row;
    if (!isAppId(appId)) throw notFound('app', appId);
    return defaultsOf(caller, await this.requireApp(caller, appId));
  }

  @Put(':appId')
  @Edits<ChannelsController>((controller, caller, appId) => controller.get(caller, appId), 'appId')
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'setChannel', summary: 'Set how messages of an App reach agents, and where replies go' })
  async set(
    @Caller() caller: Principal,
    @Param('appId') appId: string,
    @Body() body: ChannelSettings,
  ): Promise<Channel> {
    if (!isAppId(appId)) throw new Problem(422, 'invalid_app_id', 'An App id looks like app_0123....');
    await this.requireApp(caller, appId);
    await this.agents.require(caller, body.agent_id);
    await this.channels.save({ ...channelOf(caller, appId, body), updated_at: new Date() });
    this.rules.forget(caller.projectId);
    return this.get(caller, appId);
  }

  /** @throws Problem 404 `app_not_found` */
  private requireApp(caller: Principal, appId: string): Promise<InstalledApp> {
    return this.gateway.get<InstalledApp>(`/internal/apps/${appId}`, caller);
  }
}

type InstalledApp = Pick<Endpoint, 'kind'> & { id: string };

/** A channel as it is shown; one that nobody set up was updated at no time. */
type Channel = Omit<ChannelRow, 'updated_at'> & { updated_at: Date | null };

function isAppId(text: string): boolean {
  return /^app_[0-9a-f]{32}$/.test(text);
}

/** What holds for an App whose channel nobody set up. */
function defaultsOf(caller: Principal, { id, kind }: InstalledApp): Channel {
  const builtin = kind === 'builtin';
  const inForce = { unknown_senders: builtin ? null : 'hold', inbox_mode: builtin ? 'queue' : 'collect' } as const;
  return channelOf(caller, id, inForce);
}

function channelOf(caller: Principal, appId: string, given: ChannelSettings): Channel {
  return {
    app_id: appId,
    organization_id: caller.organizationId,
    project_id: caller.projectId,
    agent_id: given.agent_id ?? null,
    chief_of_staff: given.chief_of_staff ?? true,
    triggers: given.triggers ?? true,
    reply_address: given.reply_address ?? null,
    session_scope: given.session_scope ?? 'thread',
    unknown_senders: given.unknown_senders ?? null,
    inbox_mode: given.inbox_mode ?? null,
    idle_reset_minutes: given.idle_reset_minutes ?? null,
    daily_reset_hour: given.daily_reset_hour ?? null,
    updated_at: null,
  };
}
