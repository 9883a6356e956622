import { Module } from '@nestjs/common';
import { ReplyOfferService } from './path/replies/reply-offer.service.js';
import { ReplyController } from './manage/replies/reply.controller.js';
import { ReplyRepository } from './manage/replies/reply.repository.js';

@Module({
  controllers: [ReplyController],
  providers: [ReplyOfferService, ReplyRepository],
  exports: [ReplyOfferService, ReplyRepository],
})
export class RepliesModule {}
