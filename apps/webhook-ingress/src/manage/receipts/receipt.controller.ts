import type { StoredRequest } from '#libs/contracts';
import { Caller, notFound, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Dispatcher } from '../../path/receipts/dispatcher.js';
import { inboundRequest, PublicAddress } from '../../path/receipts/receipt-job.js';
import { type Receipt, ReceiptRepository } from '../../path/receipts/receipt.repository.js';

@ApiExcludeController()
@Controller('internal/receipts')
@RequireScopes('service')
export class ReceiptController {
  constructor(
    private readonly receipts: ReceiptRepository,
    private readonly dispatcher: Dispatcher,
    private readonly at: PublicAddress,
  ) {}

  /** The stored request of a receipt, for jobs whose body was too large to travel with them. */
  @Get(':id')
  async read(@Caller() caller: Principal, @Param('id') id: string): Promise<StoredRequest> {
    const receipt = await this.find(caller, id);
    return {
      request: inboundRequest(receipt, this.at),
      received_at: receipt.receivedAt.toISOString(),
      remote_address: receipt.remoteAddress,
      verified_scheme: receipt.verifiedScheme,
      bytes: receipt.body.length,
    };
  }

  /** Enqueues a receipt again: the replay of an event that never became a message. */
  @Post(':id/enqueue')
  @HttpCode(202)
  async enqueue(@Caller() caller: Principal, @Param('id') id: string): Promise<{ enqueued: boolean }> {
    const receipt = await this.find(caller, id);
    if (receipt.reason === 'verification') {
      const detail = 'Verify sent this request, so there is no message to replay.';
      throw new Problem(409, 'verification_request', detail);
    }
    if (receipt.reason === 'erased') {
      throw new Problem(409, 'event_erased', 'The data of its sender was erased, so there is no message to replay.');
    }
    return { enqueued: await this.dispatcher.enqueue(receipt) };
  }

  private async find(caller: Principal, id: string): Promise<Receipt> {
    const receipt = await this.receipts.find(id);
    if (!receipt || receipt.organizationId !== caller.organizationId || receipt.projectId !== caller.projectId) {
      throw notFound('event', id);
    }
    return receipt;
  }
}
