import { Module } from '@nestjs/common';
import { AttentionController } from './attention.controller.js';
import { AttentionRepository } from './attention.repository.js';

@Module({
  controllers: [AttentionController],
  providers: [AttentionRepository],
})
export class AttentionModule {}
