import { Global, Module } from '@nestjs/common';
import { MCP_CALLS } from '../path/tools/tool.js';
import { ContactQuestions } from './contact-questions.js';
import { EndedOpenCalls } from './ended-open-calls.service.js';
import { McpCallService } from './mcp-calls.service.js';
import { OpenCallController } from './open-call.controller.js';
import { OpenCallRepository } from './open-call.repository.js';
import { QuestionController } from './question.controller.js';

/** Calls of MCP tools, and what they wait for. Turns know only `McpCalls`. */
@Global()
@Module({
  controllers: [OpenCallController, QuestionController],
  providers: [
    ContactQuestions,
    EndedOpenCalls,
    McpCallService,
    OpenCallRepository,
    { provide: MCP_CALLS, useExisting: McpCallService },
  ],
  exports: [MCP_CALLS],
})
export class OpenCallsModule {}
