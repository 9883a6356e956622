import { Caller, Edits, type Principal, RequireScopes, ShowsEntityTag, TagsWithout } from '#libs/service-kit';
import { Body, Controller, Get, Param, Patch, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChannelService } from './channel.service.js';
import { ChannelSettings } from './channel-settings.dto.js';
import { ChannelPage, WarnedChannelView } from './channel.dto.js';
import { ChannelWarnings } from './channel-warnings.js';

@ApiTags('channels')
@Controller('api/v1/channels')
export class ChannelController {
  constructor(
    private readonly channels: ChannelService,
    private readonly warnings: ChannelWarnings,
  ) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listChannels', summary: 'List channels that were set up; others use the defaults' })
  @ApiOkResponse({ type: ChannelPage })
  async list(@Caller() caller: Principal): Promise<ChannelPage> {
    return { data: await this.channels.list(caller), next_cursor: null };
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
    const channel = await this.channels.get(caller, appId);
    return { ...channel, warnings: await this.warnings.of(caller, channel) };
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
    await this.channels.set(caller, appId, body);
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
    await this.channels.change(caller, appId, body);
    return this.get(caller, appId);
  }
}
