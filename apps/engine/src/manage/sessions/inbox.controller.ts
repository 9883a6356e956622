import { Caller, notFound, type Principal, Problem, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InboxRepository, mostCannedAnswers } from './inbox.repository.js';
import { CannedAnswerList, CannedAnswerView, SessionDetailView } from './session.dto.js';
import { SessionService } from './session.service.js';

class Assignment {
  @Text(100, { optional: true, description: 'user:<id>; absent: nobody' }) assigned_to?: string;
}

class Note {
  @Text(10_000, { minLength: 1 }) text: string;
}

class NewCannedAnswer {
  @Text(100, { minLength: 1, description: 'Saving under a known name replaces its text' }) name: string;
  @Text(100_000, { minLength: 1 }) text: string;
}

/** What people share about sessions. */
@ApiTags('sessions')
@Controller('api/v1/sessions/:id')
export class SessionInboxController {
  constructor(
    private readonly service: SessionService,
    private readonly inbox: InboxRepository,
  ) {}

  @Put('seen')
  @HttpCode(204)
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'markSessionSeen', summary: 'Mark a session as read by the caller' })
  @ApiNoContentResponse()
  async seen(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    await this.service.get(caller, id);
    await this.inbox.seen(id, caller.subject);
  }

  @Put('assignee')
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'assignSession', summary: 'Say who takes care of a session' })
  @ApiOkResponse({ type: SessionDetailView })
  async assign(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: Assignment,
  ): Promise<SessionDetailView> {
    const to = body.assigned_to ?? null;
    if (to !== null && !/^user:\w+$/.test(to))
      throw new Problem(422, 'assignee_invalid', 'A session is assigned to a member: user:<id>.');
    await this.service.get(caller, id);
    await this.inbox.assign(id, to);
    return this.service.get(caller, id);
  }

  @Post('notes')
  @HttpCode(200)
  @RequireScopes('channels:write', 'events:read')
  @ApiOperation({ operationId: 'addSessionNote', summary: 'Add a note that agents and senders never see' })
  @ApiOkResponse({ type: SessionDetailView })
  async note(@Caller() caller: Principal, @Param('id') id: string, @Body() { text }: Note): Promise<SessionDetailView> {
    await this.service.get(caller, id);
    await this.inbox.addNote(id, text, caller.subject);
    return this.service.get(caller, id);
  }
}

/** Answers that are ready, for people who reply. */
@ApiTags('canned-answers')
@Controller('api/v1/canned-answers')
export class CannedAnswerController {
  constructor(private readonly inbox: InboxRepository) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listCannedAnswers', summary: 'List canned answers, by name' })
  @ApiOkResponse({ type: CannedAnswerList })
  async list(@Caller() caller: Principal): Promise<CannedAnswerList> {
    return { data: await this.inbox.cannedAnswers(caller) };
  }

  @Put()
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'saveCannedAnswer', summary: 'Save an answer for people who reply' })
  @ApiOkResponse({ type: CannedAnswerView })
  async save(@Caller() caller: Principal, @Body() { name, text }: NewCannedAnswer): Promise<CannedAnswerView> {
    const saved = await this.inbox.saveCannedAnswer(caller, name, text, caller.subject);
    if (saved) return saved;
    throw new Problem(409, 'too_many_canned_answers', `A project has at most ${mostCannedAnswers} canned answers.`);
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'deleteCannedAnswer', summary: 'Delete a canned answer' })
  @ApiNoContentResponse()
  async delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    if (!(await this.inbox.deleteCannedAnswer(caller, id))) throw notFound('canned_answer', id);
  }
}
