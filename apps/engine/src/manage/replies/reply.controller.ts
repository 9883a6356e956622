import type { OutboundContent } from '#libs/contracts';
import { notFound, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ReplyOfferService } from '../../path/replies/reply-offer.service.js';

/** For the gateway: the content of a reply that was too large for its job. */
@ApiExcludeController()
@Controller('internal/turns/:turn_id/replies')
export class ReplyController {
  constructor(private readonly replies: ReplyOfferService) {}

  @Get(':delivery_id')
  @RequireScopes('service')
  async read(
    @Param('turn_id') turnId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<{ content: OutboundContent }> {
    const reply = (await this.replies.ofTurns([turnId])).find(({ delivery_id }) => delivery_id === deliveryId);
    if (!reply) throw notFound('delivery', deliveryId);
    return { content: reply.content };
  }
}
