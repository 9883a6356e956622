import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { EventStreams } from './event-streams.js';
import { timeOfEntryId } from './frame.js';
import { StreamFilter } from './stream-client.js';

@ApiTags('events')
@Controller('api/v1/events/stream')
export class StreamController {
  constructor(private readonly streams: EventStreams) {}

  @Get()
  @RequireScopes('events:read')
  @ApiProduces('text/event-stream')
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Continue after this entry' })
  @ApiOkResponse({
    schema: { type: 'string' },
    description: 'Server-sent events `entry` (one line of a timeline) and `gap` (entries were missed: list the events)',
  })
  @ApiOperation({ operationId: 'streamEvents', summary: 'Stream what happens to events, as it happens' })
  async stream(
    @Caller() caller: Principal,
    @Query() filter: StreamFilter,
    @Res() reply: FastifyReply,
    @Headers('last-event-id') lastId?: string,
  ): Promise<void> {
    const after = timeOfEntryId(lastId);
    this.streams.requireRoom(caller);
    reply.hijack();
    await this.streams.serve(caller, filter, after, reply.raw);
  }
}
