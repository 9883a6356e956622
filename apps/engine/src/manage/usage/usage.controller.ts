import { type Behind, behindMs, SaysBehind, withBehind } from '#libs/list-reads';
import { Caller, OneOf, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { spanOf, SpanQuery } from './span-of-days.js';
import { type UsageGroup, UsageRepository, type UsageRow } from './usage.repository.js';

const groups: Record<string, UsageGroup[]> = {
  day: ['day'],
  agent: ['agent'],
  contact: ['contact'],
  model: ['model'],
  day_agent: ['day', 'agent'],
  day_contact: ['day', 'contact'],
  day_model: ['day', 'model'],
  total: [],
};

class UsageQuery extends SpanQuery {
  @OneOf(Object.keys(groups), { optional: true }) group_by: string = 'day';
}

class UsageView implements UsageRow {
  @ApiProperty({ type: String, nullable: true }) day: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Empty: of the project itself, for vectors of its documents and searches by people',
  })
  agent_id: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Empty: the sender was not a contact' }) contact_id:
    string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the model at the endpoint' }) model: string | null;
  @ApiProperty({ type: 'integer' }) model_calls: number;
  @ApiProperty({ type: 'integer', description: 'Not counted when grouped by model' }) tool_calls: number;
  @ApiProperty({ type: 'integer' }) input_tokens: number;
  @ApiProperty({ type: 'integer' }) output_tokens: number;
  @ApiProperty({ type: 'integer', description: 'Millionths of the currency of MODEL_PRICES' }) cost_micros: number;
  @ApiProperty({ type: 'integer', description: 'Of transcribed voice notes. Counted when grouped by model' })
  audio_seconds: number;
}

export class UsageList implements Behind {
  @ApiProperty({ type: [UsageView] }) data: UsageView[];
  @ApiProperty(behindMs) behind_ms: number | null;
}

@ApiTags('usage')
@Controller('api/v1/usage')
export class UsageController {
  constructor(private readonly usage: UsageRepository) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read tokens, cost and calls of a span of days', operationId: 'getUsage' })
  @ApiOkResponse({ type: UsageList })
  @SaysBehind()
  async get(@Caller() caller: Principal, @Query() query: UsageQuery): Promise<UsageList> {
    const { from, to } = spanOf(query);
    const { value: data, behindMs: age } = await this.usage.sums(caller, from, to, groups[query.group_by] ?? []);
    return withBehind({ value: { data }, behindMs: age });
  }
}
