import { Caller, pageOf, type Principal, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApprovalPage, ApprovalQuery, ApprovalView, approvalView, DecideApproval } from './approval.dto.js';
import { ApprovalListRepository } from './approval-list.repository.js';
import { ApprovalService } from '../../path/approvals/approval.service.js';

@ApiTags('approvals')
@Controller('api/v1/approvals')
export class ApprovalController {
  constructor(
    private readonly approvals: ApprovalService,
    private readonly lists: ApprovalListRepository,
  ) {}

  @Get()
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'List calls that wait or waited for a person', operationId: 'listApprovals' })
  @ApiOkResponse({ type: ApprovalPage })
  async list(@Caller() caller: Principal, @Query() query: ApprovalQuery): Promise<ApprovalPage> {
    const rows = await this.lists.list(caller, {
      state: query.state ?? null,
      receiptId: query.event_id ?? null,
      search: query.search ?? null,
      limit: query.limit,
      cursor: query.cursor ?? null,
      order: query.order,
    });
    const { data, next_cursor } = pageOf(rows, query.limit, (approval) => approval.id);
    return { data: data.map(approvalView), next_cursor };
  }

  @Get(':id')
  @RequireScopes('agents:read')
  @ApiOperation({ summary: 'Read an approval', operationId: 'getApproval' })
  @ApiOkResponse({ type: ApprovalView })
  async get(@Caller() caller: Principal, @Param('id') id: string): Promise<ApprovalView> {
    return approvalView(await this.approvals.get(caller, id));
  }

  @Post(':id/approve')
  @HttpCode(200)
  @RequireScopes('approvals:decide')
  @ApiOperation({ summary: 'Approve a call: it is made once', operationId: 'approveCall' })
  @ApiOkResponse({ type: ApprovalView })
  async approve(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: DecideApproval,
  ): Promise<ApprovalView> {
    return approvalView(await this.approvals.decide(caller, caller.subject, id, 'approved', body.note ?? null));
  }

  @Post(':id/refuse')
  @HttpCode(200)
  @RequireScopes('approvals:decide')
  @ApiOperation({ summary: 'Refuse a call: the model reads the refusal', operationId: 'refuseCall' })
  @ApiOkResponse({ type: ApprovalView })
  async refuse(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: DecideApproval,
  ): Promise<ApprovalView> {
    return approvalView(await this.approvals.decide(caller, caller.subject, id, 'refused', body.note ?? null));
  }
}
