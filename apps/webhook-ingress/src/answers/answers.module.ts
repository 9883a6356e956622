import { Module } from '@nestjs/common';
import { AnswerCounts } from './answer-counts.js';

@Module({
  providers: [AnswerCounts],
})
export class AnswersModule {}
