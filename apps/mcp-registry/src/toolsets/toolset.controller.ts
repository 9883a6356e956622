import type { Toolset } from '#libs/contracts';
import { Caller, type Principal, Problem, RequireScopes, Text } from '#libs/service-kit';
import { Controller, Get, Logger, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ToolsetService } from './toolset.service.js';

const maxIds = 100;

class ToolsetQuery {
  @Text(10_000, { optional: true, description: 'Skills of the agent, comma-separated' }) skill_ids?: string;
  @Text(10_000, { optional: true, description: 'Python tools that the agent has directly, comma-separated' })
  tool_ids?: string;
  @Text(100, { optional: true, description: 'For the log' }) agent_id?: string;
}

@ApiTags('internal')
@Controller('internal/toolsets')
@RequireScopes('service')
export class ToolsetController {
  private readonly logger = new Logger('toolset');

  constructor(private readonly toolsets: ToolsetService) {}

  @Get()
  @ApiOperation({ operationId: 'getToolset', summary: 'The approved tools and the knowledge of an agent, for a turn' })
  async get(@Caller() caller: Principal, @Query() query: ToolsetQuery): Promise<Toolset> {
    const toolset = await this.toolsets.of(caller, ids(query.skill_ids), ids(query.tool_ids));
    for (const problem of toolset.problems) {
      this.logger.warn({ event: 'toolset.problem', agent_id: query.agent_id, ...problem });
    }
    return toolset;
  }
}

function ids(text: string | undefined): string[] {
  const all = [...new Set((text ?? '').split(',').filter((id) => id !== ''))];
  if (all.length > maxIds) throw new Problem(422, 'invalid_fields', `At most ${maxIds} ids may be requested at once.`);
  return all;
}
