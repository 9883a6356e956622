import { TurnFiles } from './path/replies/turn-file.repository.js';
import { Module } from '@nestjs/common';
import { ReplyOfferService } from './path/replies/reply-offer.service.js';
import { ReplyController } from './manage/replies/reply.controller.js';
import { ReplyRepository } from './manage/replies/reply.repository.js';

@Module({
  controllers: [ReplyController],
  providers: [TurnFiles, ReplyOfferService, ReplyRepository],
  exports: [ReplyOfferService, ReplyRepository],
})
export class RepliesModule {}
