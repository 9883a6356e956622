import { Module } from '@nestjs/common';
import { ReplyOfferService } from './reply-offer.service.js';
import { ReplyController } from './reply.controller.js';
import { ReplyRepository } from './reply.repository.js';

@Module({
  controllers: [ReplyController],
  providers: [ReplyOfferService, ReplyRepository],
  exports: [ReplyOfferService, ReplyRepository],
})
export class RepliesModule {}
