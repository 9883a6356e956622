import { Module } from '@nestjs/common';
import { McpModule } from '../mcp/mcp.module.js';
import { ServersModule } from '../servers/servers.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { PythonCalls } from './python-calls.js';
import { ToolCallController } from './tool-call.controller.js';
import { ToolCallRepository } from './tool-call.repository.js';
import { ToolCallService } from './tool-call.service.js';

@Module({
  imports: [McpModule, ServersModule, ToolsModule],
  controllers: [ToolCallController],
  providers: [PythonCalls, ToolCallRepository, ToolCallService],
  exports: [ToolCallRepository, ToolCallService],
})
export class CallsModule {}
