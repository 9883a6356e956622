import { Module } from '@nestjs/common';
import { AttentionController } from './attention.controller.js';

@Module({
  controllers: [AttentionController],
})
export class AttentionModule {}
