import { Module } from '@nestjs/common';
import { AttentionModule } from '../attention/attention.module.js';
import { OperationsMcpController } from './operations-mcp.controller.js';

@Module({ imports: [AttentionModule], controllers: [OperationsMcpController] })
export class OperationsMcpModule {}
