import { Caller, OneOf, type Principal, Problem, reachesOrganization, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Header, Headers, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import { spanOf, SpanQuery } from './span-of-days.js';
import { type ExportDetail, exportDetails, UsageExportRepository } from './usage-export.repository.js';
import { contentTypes, type ExportFormat, exportFormats, usageLines } from './usage-lines.js';

class ExportQuery extends SpanQuery {
  @OneOf(exportDetails, { optional: true, description: 'What each line is about, besides its project and day' })
  by: ExportDetail = 'agent';
  @OneOf(['this', 'all'], {
    optional: true,
    description: '`all`: every project of the organization that the caller reaches',
  })
  projects: 'this' | 'all' = 'this';
  @OneOf(exportFormats, { optional: true, description: 'Default: what `Accept` asks for, otherwise CSV' })
  format?: ExportFormat;
}

@ApiTags('usage')
@Controller('api/v1/usage')
export class UsageExportController {
  constructor(private readonly usage: UsageExportRepository) {}

  @Get('export')
  @RequireScopes('agents:read')
  @Header('x-content-type-options', 'nosniff')
  @ApiOperation({
    summary: 'Usage by day, project and agent, contact or model, as one file of any length',
    operationId: 'exportUsage',
  })
  @ApiProduces('text/csv', 'application/x-ndjson')
  @ApiOkResponse({
    description:
      'One entry a line; the first line of CSV names the columns. A file that was cut off ends without its last chunk.',
    schema: { type: 'string' },
  })
  export(
    @Caller() caller: Principal,
    @Query() query: ExportQuery,
    @Headers('accept') accept: string | undefined,
  ): StreamableFile {
    const { by: detail, projects, format = formatOf(accept) } = query;
    if (projects === 'all' && !reachesOrganization(caller)) {
      const refusal = 'This key reaches one project: leave `projects` out, or use a key with the scope admin.';
      throw new Problem(403, 'forbidden', refusal);
    }
    const { organizationId } = caller;
    const { from, to } = spanOf(query);
    const span = { organizationId, projectId: projects === 'all' ? null : caller.projectId, from, to, detail };
    return new StreamableFile(Readable.from(usageLines(this.usage.pages(span), format)), {
      type: contentTypes[format],
      disposition: `attachment; filename="usage-${from}-${to}.${format}"`,
    });
  }
}

function formatOf(accept = ''): ExportFormat {
  return accept.includes('ndjson') && !accept.includes('text/csv') ? 'ndjson' : 'csv';
}
