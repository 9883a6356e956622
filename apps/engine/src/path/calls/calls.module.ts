import { Module } from '@nestjs/common';
import { AgentCalls } from './agent-call.repository.js';

@Module({ providers: [AgentCalls], exports: [AgentCalls] })
export class CallsModule {}
