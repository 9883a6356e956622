import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AttentionMuteRepository } from './attention-mute.repository.js';
import { AttentionListView, MuteAttention, UnmuteAttention } from './attention.dto.js';
import { SeenAttention } from './seen-attention.js';

@ApiTags('attention')
@Controller('api/v1/attention')
export class AttentionController {
  constructor(
    private readonly seen: SeenAttention,
    private readonly mutes: AttentionMuteRepository,
  ) {}

  @Get()
  @RequireScopes('events:read')
  @ApiOperation({
    operationId: 'listAttention',
    summary: 'What does not work or waits for a person, one line each',
  })
  @ApiOkResponse({ type: AttentionListView })
  async list(@Caller() caller: Principal): Promise<AttentionListView> {
    return { data: await this.seen.of(caller) };
  }

  @Post('mute')
  @HttpCode(204)
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'muteAttention', summary: 'Mute one cause for a time: no rule alerts about it' })
  @ApiNoContentResponse()
  async mute(@Caller() caller: Principal, @Body() { cause, hours }: MuteAttention): Promise<void> {
    await this.mutes.set(caller, cause, hours);
  }

  @Post('unmute')
  @HttpCode(204)
  @RequireScopes('alerts:write')
  @ApiOperation({ operationId: 'unmuteAttention', summary: 'End the mute of a cause' })
  @ApiNoContentResponse()
  async unmute(@Caller() caller: Principal, @Body() { cause }: UnmuteAttention): Promise<void> {
    await this.mutes.clear(caller, cause);
  }
}
