import type { OutboundContent } from '#libs/contracts';
import { notFound, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TurnFiles } from '../../path/replies/turn-file.repository.js';
import { ReplyOfferService } from '../../path/replies/reply-offer.service.js';

/** For the gateway: the content of a reply that was too large for its job, and the files of one. */
@ApiExcludeController()
@Controller('internal/turns/:turn_id/replies')
export class ReplyController {
  constructor(
    private readonly replies: ReplyOfferService,
    private readonly files: TurnFiles,
  ) {}

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

  /** The files of an answer, in the order of its content. */
  @Get(':delivery_id/files')
  @RequireScopes('service')
  async readFiles(
    @Param('turn_id') turnId: string,
    @Param('delivery_id') deliveryId: string,
  ): Promise<{ files: string[] }> {
    const { content } = await this.read(turnId, deliveryId);
    if (!content.attachments) return { files: [] };
    return { files: (await this.files.contentsOf(turnId)).map((bytes) => bytes.toString('base64')) };
  }
}
