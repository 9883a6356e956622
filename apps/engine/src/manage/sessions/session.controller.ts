import {
  Caller,
  Flag,
  holds,
  IdempotencyKey,
  OneOf,
  pageOf,
  OrderedQuery,
  PageQuery,
  type Principal,
  Problem,
  RequireScopes,
  TakesIdempotencyKey,
  Text,
} from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PreviewStreams } from '../previews/preview-streams.js';
import { SessionReplyService } from './session-reply.service.js';
import {
  type SessionInbox,
  sessionInboxes,
  SessionListRepository,
  type SessionSort,
  sessionSorts,
} from './session-list.repository.js';
import { SessionRepository, sessionStatuses } from './session.repository.js';
import { SessionService } from './session.service.js';
import { sessionTurn, SessionTurnPage } from './session-turn.dto.js';
import {
  CancelledTurnView,
  SessionDetailView,
  SessionPage,
  SessionReplyView,
  SessionSummaryView,
} from './session.dto.js';

class SessionQuery extends OrderedQuery {
  @Text(200, {
    optional: true,
    minLength: 1,
    description: 'Part of the key or, with events:read, of a message, a sender or an answer, ignoring case',
  })
  search?: string;
  @OneOf(sessionSorts, {
    optional: true,
    description: 'By when it began (default), or by its newest message: a page that is read later may repeat a session',
  })
  sort?: SessionSort;
  @OneOf(sessionInboxes, {
    optional: true,
    description: 'For the caller: what it has not read, what is assigned to it, or what waits for it',
  })
  inbox?: SessionInbox;
  @OneOf(sessionStatuses, { optional: true }) status?: string;
  @Text(100, { optional: true }) app_id?: string;
  @Text(100, { optional: true }) contact_id?: string;
}

class HandBack {
  @Flag({ optional: true, description: 'The agent answers messages that came during the takeover (default false)' })
  answer_waiting?: boolean;
}

class Reply {
  @Text(100_000, { minLength: 1 }) text: string;
  @OneOf(['markdown', 'plain'], { optional: true, description: 'Default markdown' }) format?: 'markdown' | 'plain';
}

class CorrectedSummary {
  @Text(100_000, { description: 'Empty: the model is shown nothing of the turns in it' }) text: string;
}

@ApiTags('sessions')
@Controller('api/v1/sessions')
export class SessionController {
  constructor(
    private readonly service: SessionService,
    private readonly sessions: SessionRepository,
    private readonly lists: SessionListRepository,
    private readonly replies: SessionReplyService,
    private readonly streams: PreviewStreams,
  ) {}

  @Get()
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'listSessions', summary: 'Sessions' })
  @ApiOkResponse({ type: SessionPage })
  async list(@Caller() caller: Principal, @Query() query: SessionQuery): Promise<SessionPage> {
    return this.lists.page(caller.organizationId, caller.projectId, {
      reader: caller.subject,
      inbox: query.inbox ?? null,
      status: query.status ?? null,
      appId: query.app_id ?? null,
      contactId: query.contact_id ?? null,
      search: query.search ?? null,
      cursor: query.cursor ?? null,
      sort: query.sort ?? 'created',
      order: query.order,
      limit: query.limit,
      withText: holds(caller.scopes, 'events:read'),
    });
  }

  @Get(':id')
  @RequireScopes('channels:read')
  @ApiOperation({ operationId: 'getSession', summary: 'Read a session, with who took it over and when' })
  @ApiOkResponse({ type: SessionDetailView })
  get(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionDetailView> {
    return this.service.get(caller, id);
  }

  @Get(':id/turns')
  @RequireScopes('channels:read', 'events:read')
  @ApiOperation({ operationId: 'listSessionTurns', summary: 'List turns of a session, newest first' })
  @ApiOkResponse({ type: SessionTurnPage })
  async turns(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Query() query: PageQuery,
  ): Promise<SessionTurnPage> {
    const session = await this.service.get(caller, id);
    const rows = await this.sessions.turns(session, query.cursor ?? null, query.limit + 1);
    const shown = rows.map((row) => ({ ...sessionTurn(row), result: row.result }));
    return pageOf(shown, query.limit, (row) => row.id);
  }

  @Get(':id/stream')
  @RequireScopes('channels:read', 'events:read')
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    schema: { type: 'string' },
    description:
      'Server-sent events `turn` (`turn_id`, `step`, `tools` that are being called, and `text`, which replaces what ' +
      'follows the first `at` UTF-16 units of what the turn has written) and `end` (`turn_id`: read the turn)',
  })
  @ApiOperation({ operationId: 'streamSession', summary: 'Stream what the agent writes in a session, as it writes' })
  async stream(@Caller() caller: Principal, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    await this.service.get(caller, id);
    this.streams.requireRoom(caller.projectId);
    reply.hijack();
    this.streams.serve(caller.projectId, id, reply.raw);
  }

  @Put(':id/summary')
  @RequireScopes('channels:write', 'events:read')
  @ApiOperation({ operationId: 'correctSessionSummary', summary: 'Correct what the model is shown of older turns' })
  @ApiOkResponse({ type: SessionSummaryView })
  correct(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { text }: CorrectedSummary,
  ): Promise<SessionSummaryView> {
    return this.service.correctSummary(caller, id, text);
  }

  @Post(':id/takeover')
  @HttpCode(200)
  @RequireScopes('channels:write')
  @ApiOperation({
    operationId: 'takeOverSession',
    summary: 'Take a session over: from now on a person answers, and no turn starts',
  })
  @ApiOkResponse({ type: SessionDetailView })
  takeOver(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionDetailView> {
    return this.service.takeOver(caller, id);
  }

  @Post(':id/reply')
  @HttpCode(202)
  @RequireScopes('channels:write')
  @TakesIdempotencyKey('The same message under the same key is sent once', true)
  @ApiOperation({ operationId: 'replyInSession', summary: 'Send a message in a session that was taken over' })
  @ApiAcceptedResponse({ type: SessionReplyView })
  reply(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() body: Reply,
    @IdempotencyKey() key: string | null,
  ): Promise<SessionReplyView> {
    if (key === null) {
      throw new Problem(
        422,
        'idempotency_key_required',
        'Send an Idempotency-Key: without it a retry would send the message twice.',
      );
    }
    return this.replies.send(caller, id, { ...body }, key);
  }

  @Post(':id/hand-back')
  @HttpCode(200)
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'handBackSession', summary: 'End a takeover' })
  @ApiOkResponse({ type: SessionDetailView })
  handBack(@Caller() caller: Principal, @Param('id') id: string, @Body() body: HandBack): Promise<SessionDetailView> {
    return this.service.handBack(caller, id, body.answer_waiting ?? false);
  }

  @Post(':id/resolve')
  @HttpCode(200)
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'resolveSession', summary: 'Mark a session as done; the next message reopens it' })
  @ApiOkResponse({ type: SessionDetailView })
  resolve(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionDetailView> {
    return this.service.resolve(caller, id);
  }

  @Post(':id/reopen')
  @HttpCode(200)
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'reopenSession', summary: 'Make a resolved session active again' })
  @ApiOkResponse({ type: SessionDetailView })
  reopen(@Caller() caller: Principal, @Param('id') id: string): Promise<SessionDetailView> {
    return this.service.reopen(caller, id);
  }

  @Post(':id/cancel-turn')
  @HttpCode(202)
  @RequireScopes('channels:write')
  @ApiOperation({ operationId: 'cancelSessionTurn', summary: 'Cancel the turn in progress' })
  @ApiAcceptedResponse({ type: CancelledTurnView })
  cancelTurn(@Caller() caller: Principal, @Param('id') id: string): Promise<CancelledTurnView> {
    return this.service.cancelTurn(caller, id);
  }
}
