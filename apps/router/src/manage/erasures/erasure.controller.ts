import { Caller, idOf, OneOf, type Principal, RequireScopes, time } from '#libs/service-kit';
import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { ContactErasure, ErasureReport } from './erasure.entity.js';
import { ErasureService } from './erasure.service.js';

class ErasureView {
  @ApiProperty(idOf('con')) contact_id: string;
  @OneOf(['queued', 'running', 'done', 'dead']) state: ContactErasure['state'];
  @ApiProperty({ description: 'Who asked for it' }) asked_by: string;
  @ApiProperty(time) asked_at: Date;
  @ApiProperty({ type: 'integer', description: '1, and 2 for what was in flight during the first' }) pass: number;
  @ApiProperty({ ...time, description: 'While queued: when it goes on' }) due_at: Date;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'integer' } },
    description: 'Rows that were erased, by service and kind',
  })
  report: ErasureReport;
  @ApiProperty({ type: String, nullable: true, description: 'Why it has not ended' }) reason: string | null;
  @ApiProperty({ type: String, nullable: true }) detail: string | null;

  static of(row: ContactErasure): ErasureView {
    const { contact_id, state, asked_by, asked_at, pass, due_at, ended_at, report, reason, detail } = row;
    return { contact_id, state, asked_by, asked_at, pass, due_at, ended_at, report, reason, detail };
  }
}

@ApiTags('contacts')
@Controller('api/v1/contacts/:id')
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Delete('data')
  @HttpCode(202)
  @RequireScopes('contacts:write', 'events:read')
  @ApiOperation({
    operationId: 'eraseContact',
    summary: 'Erase the data of a contact, and of those merged into it, in all services; this cannot be undone',
  })
  @ApiAcceptedResponse({ type: ErasureView })
  async ask(@Caller() caller: Principal, @Param('id') id: string): Promise<ErasureView> {
    return ErasureView.of(await this.erasures.ask(caller, id));
  }

  @Get('erasure')
  @RequireScopes('contacts:read')
  @ApiOperation({ operationId: 'getErasure', summary: 'What was erased of a contact, when and by whom' })
  @ApiOkResponse({ type: ErasureView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<ErasureView> {
    return ErasureView.of(await this.erasures.of(caller, id));
  }
}
