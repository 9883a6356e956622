import { Caller, holds, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AttentionList, causeOf } from './attention-list.js';
import { AttentionMuteRepository } from './attention-mute.repository.js';
import { AttentionListView, type AttentionView, MuteAttention, UnmuteAttention } from './attention.dto.js';

@ApiTags('attention')
@Controller('api/v1/attention')
export class AttentionController {
  constructor(
    private readonly attention: AttentionList,
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
    const [{ items }, mutes] = await Promise.all([this.attention.of(caller), this.mutes.now(caller)]);
    const seen = items.filter(({ scope }) => holds(caller.scopes, scope));
    const data = seen.map(({ scope: _scope, service: _service, ...shown }): AttentionView => {
      const mute = mutes.get(causeOf(shown));
      return { ...shown, cause: causeOf(shown), muted_until: mute?.toISOString() ?? null };
    });
    return { data: data.toSorted((a, b) => rankOf(a) - rankOf(b)) };
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

/** Errors first, and what is muted last. */
function rankOf({ severity, muted_until }: AttentionView): number {
  return (muted_until === null ? 0 : 2) + (severity === 'error' ? 0 : 1);
}
