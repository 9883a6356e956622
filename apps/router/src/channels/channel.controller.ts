import type { Endpoint } from '#libs/contracts';
import {
  Caller,
  Edits,
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
  routePolicies,
  type RoutePolicy,
  type SessionScope,
  type UnknownSenders,
} from './channel.entity.js';
import { ChannelRepository } from './channel.repository.js';
import { ChannelPage, ChannelView } from './channel.dto.js';
import { defaultFailureNotice } from './failure-notice.js';

class ChannelSettings {
  @Text(100, {
    optional: true,
    nullable: true,
    description: "The agent that answers; default: the project's Chief of Staff",
  })
  agent_id?: string | null;
  @OneOf(routePolicies, {
    optional: true,
    description:
      'Who gets its messages: triggers and Chief of Staff (both, default), one of them alone, or the Chief of Staff only if no trigger takes it. A workflow_id in a message of the Webhook app comes first',
  })
  route_policy?: RoutePolicy;
  @OneOf(machineReaches, {
    optional: true,
    description: 'Where messages of other bots go (metadata.from_bot; default triggers_only)',
  })
  bots?: MachineReach;
  @OneOf(machineReaches, {
    optional: true,
    description: 'Where auto-submitted mail, bounces, list mail and notifications go (default triggers_only)',
  })
  automatic?: MachineReach;
  @Text(2_000, {
    optional: true,
    nullable: true,
    description:
      'Where replies go if the message names no address; for the Webhook app: the http(s) URL of every reply',
  })
  reply_address?: string | null;
  @OneOf(['thread', 'contact', 'channel'], {
    optional: true,
    description: 'Which messages share a session (default thread)',
  })
  session_scope?: SessionScope;
  @OneOf(['hold', 'pair', 'open', 'drop'], {
    optional: true,
    nullable: true,
    description: 'What happens to messages from unknown senders (default hold; not for the built-in Webhook app)',
  })
  unknown_senders?: UnknownSenders | null;
  @OneOf(['queue', 'collect'], {
    optional: true,
    nullable: true,
    description:
      'Messages that arrive during a turn: queue: one turn each; collect: one turn for all (default; queue for the Webhook app)',
  })
  inbox_mode?: InboxMode | null;
  @Whole(1, 525_600, {
    optional: true,
    nullable: true,
    description: 'A session without messages for this long starts anew',
  })
  idle_reset_minutes?: number | null;
  @Whole(0, 23, { optional: true, nullable: true, description: 'The hour (UTC) at which sessions start anew' })
  daily_reset_hour?: number | null;
  @Text(1_000, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: `Sent once to the sender of a failed turn, if it can be answered; null: nothing is sent (default "${defaultFailureNotice}")`,
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
  @ApiOperation({ operationId: 'listChannels', summary: 'List channels that were set up; others use the defaults' })
  @ApiOkResponse({ type: ChannelPage })
  async list(@Caller() caller: Principal): Promise<ChannelPage> {
    return { data: await this.channels.list(caller.organizationId, caller.projectId), next_cursor: null };
  }

  @Get(':appId')
  @ShowsEntityTag()
  @RequireScopes('channels:read')
  @ApiOperation({
    operationId: 'getChannel',
    summary: 'Read the channel of an App: its settings, or the defaults',
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
    updated_at: null,
  };
}
