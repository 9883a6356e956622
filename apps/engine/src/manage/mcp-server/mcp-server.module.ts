import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { McpController } from './mcp.controller.js';

@Module({ imports: [TasksModule], controllers: [McpController] })
export class McpServerModule {}
