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
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { NamedAgents } from '../agents/named-agents.js';
import { ProjectRules } from '../routing/project-rules.js';
import { GATEWAY } from '../services.js';
import {
  type InboxMode,
  type MachineReach,
  machineReaches,
  type SessionScope,
  type UnknownSenders,
} from './channel.entity.js';
import { ChannelRepository } from './channel.repository.js';
import { ChannelPage, ChannelView } from './channel.dto.js';
import { defaultFailureNotice } from './failure-notice.js';

class ChannelSettings {
  @Text(100, { optional: true, nullable: true, description: "The agent; the project's Chief of Staff when absent" })
  agent_id?: string | null;
  @Flag({ optional: true, description: 'Messages reach the Chief of Staff (default true)' }) chief_of_staff?: boolean;
  @Flag({ optional: true, description: 'Messages are tried on triggers (default true)' }) triggers?: boolean;
  @OneOf(machineReaches, {
    optional: true,
    description: "What other bots' messages reach (metadata.from_bot; default triggers_only)",
  })
  bots?: MachineReach;
  @OneOf(machineReaches, {
    optional: true,
    description: 'What auto-submitted mail, bounces, list mail and notifications reach (default triggers_only)',
  })
  automatic?: MachineReach;
  @Text(2_000, {
    optional: true,
    nullable: true,
    description: 'Where replies go when the message names no address; of the Webhook app always, as an http(s) URL',
  })
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
  @Text(1_000, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: `What the sender of a failed turn is told, once, where it can be answered; null: nothing (default "${defaultFailureNotice}")`,
  })
  failure_notice?: string | null;
}

@ApiTags('channels')
@Controller('api/v1/channels')
export class ChannelController {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly rules: ProjectRules,
    @Inject(GATEWAY) private readonly gateway: ServiceClient,
    private readonly agents: NamedAgents,
  ) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listChannels', summary: 'Channels that were set up; others use the defaults' })
  @ApiOkResponse({ type: ChannelPage })
  async list(@Caller() caller: Principal): Promise<ChannelPage> {
    return { data: await this.channels.list(caller.organizationId, caller.projectId), next_cursor: null };
  }

  @Get(':appId')
  @ShowsEntityTag()
  @RequireScopes('channels:read')
  @ApiOperation({
    operationId: 'getChannel',
    summary: 'The channel of an App: as it was set up, or the defaults that are in force',
  })
  @ApiOkResponse({ type: ChannelView })
  async get(@Caller() caller: Principal, @Param('appId') appId: string): Promise<ChannelView> {
    const row = await this.channels.find(caller.organizationId, caller.projectId, appId);
    if (row) return row;
    if (!isAppId(appId)) throw notFound('app', appId);
    return defaultsOf(caller, await this.requireApp(caller, appId));
  }

  @Put(':appId')
  @Edits<ChannelController>((controller, caller, appId) => controller.get(caller, appId), 'appId')
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'setChannel', summary: 'Set how messages of an App reach agents, and where replies go' })
  @ApiOkResponse({ type: ChannelView })
  async set(
    @Caller() caller: Principal,
    @Param('appId') appId: string,
    @Body() body: ChannelSettings,
  ): Promise<ChannelView> {
    if (!isAppId(appId)) throw new Problem(422, 'invalid_app_id', 'An App id looks like app_0123....');
    await this.agents.require(caller, body.agent_id);
    const channel = channelOf(caller, appId, body);
    // Checks App and address. First, so that only what the gateway accepted is stored here; repeating the request
    // repairs the rest.
    const { reply_address } = channel;
    await this.gateway.put(`/internal/apps/${appId}/reply-address`, caller, { reply_address });
    await this.channels.save({ ...channel, updated_at: new Date() });
    this.rules.forget(caller.projectId);
    return this.get(caller, appId);
  }

  /** @throws Problem 404 `app_not_found` */
  private requireApp(caller: Principal, appId: string): Promise<InstalledApp> {
    return this.gateway.get<InstalledApp>(`/internal/apps/${appId}`, caller);
  }
}

type InstalledApp = Pick<Endpoint, 'kind'> & { id: string };

function isAppId(text: string): boolean {
  return /^app_[0-9a-f]{32}$/.test(text);
}

/** The defaults of an App whose channel was never configured. */
function defaultsOf(caller: Principal, { id, kind }: InstalledApp): ChannelView {
  const builtin = kind === 'builtin';
  const inForce = { unknown_senders: builtin ? null : 'hold', inbox_mode: builtin ? 'queue' : 'collect' } as const;
  return channelOf(caller, id, inForce);
}

function channelOf(caller: Principal, appId: string, given: ChannelSettings): ChannelView {
  return {
    app_id: appId,
    organization_id: caller.organizationId,
    project_id: caller.projectId,
    agent_id: given.agent_id ?? null,
    chief_of_staff: given.chief_of_staff ?? true,
    triggers: given.triggers ?? true,
    bots: given.bots ?? 'triggers_only',
    automatic: given.automatic ?? 'triggers_only',
    reply_address: given.reply_address ?? null,
    session_scope: given.session_scope ?? 'thread',
    unknown_senders: given.unknown_senders ?? null,
    inbox_mode: given.inbox_mode ?? null,
    idle_reset_minutes: given.idle_reset_minutes ?? null,
    daily_reset_hour: given.daily_reset_hour ?? null,
    failure_notice: given.failure_notice === undefined ? defaultFailureNotice : given.failure_notice,
    updated_at: null,
  };
}
