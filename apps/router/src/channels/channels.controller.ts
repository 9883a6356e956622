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
import { defaultFailureNotice } from './failure-notice.js';

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
  @Text(1_000, {
    optional: true,
    nullable: true,
    minLength: 1,
    description: `What the sender of a failed turn is told, once, where it can be answered; null: nothing (default "${defaultFailureNotice}")`,
  })
  failure_notice?: string | null;
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
  @ApiOperation({ operationId: 'getChannel', summary: 'The channel of an App' })
  async get(@Caller() caller: Principal, @Param('appId') appId: string): Promise<ChannelRow> {
    const row = await this.channels.find(caller.organizationId, caller.projectId, appId);
    if (!row) throw notFound('channel', appId);
    return row;
  }

  @Put(':appId')
  @Edits<ChannelsController>((controller, caller, appId) => controller.get(caller, appId), 'appId')
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'setChannel', summary: 'Set how messages of an App reach agents, and where replies go' })
  async set(
    @Caller() caller: Principal,
    @Param('appId') appId: string,
    @Body() body: ChannelSettings,
  ): Promise<ChannelRow> {
    await this.requireApp(caller, appId);
    await this.agents.require(caller, body.agent_id);
    await this.channels.save({
      app_id: appId,
      organization_id: caller.organizationId,
      project_id: caller.projectId,
      agent_id: body.agent_id ?? null,
      chief_of_staff: body.chief_of_staff ?? true,
      triggers: body.triggers ?? true,
      reply_address: body.reply_address ?? null,
      session_scope: body.session_scope ?? 'thread',
      unknown_senders: body.unknown_senders ?? null,
      inbox_mode: body.inbox_mode ?? null,
      idle_reset_minutes: body.idle_reset_minutes ?? null,
      daily_reset_hour: body.daily_reset_hour ?? null,
      failure_notice: body.failure_notice === undefined ? defaultFailureNotice : body.failure_notice,
      updated_at: new Date(),
    });
    this.rules.forget(caller.projectId);
    return this.get(caller, appId);
  }

  private async requireApp(caller: Principal, appId: string): Promise<void> {
    if (!/^app_[0-9a-f]{32}$/.test(appId))
      throw new Problem(422, 'invalid_app_id', 'An App id looks like app_0123....');
    await this.gateway.get(`/internal/apps/${appId}`, caller);
  }
}
