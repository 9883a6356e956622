import { Module } from '@nestjs/common';
import { RefusalLog } from './refusal-log.js';
import { RefusalRepository } from './refusal.repository.js';

@Module({ providers: [RefusalLog, RefusalRepository], exports: [RefusalLog] })
export class RefusalsModule {}
