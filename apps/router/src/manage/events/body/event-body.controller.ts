import type { EventBody } from '#libs/contracts';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { EventRequestView } from './event-request.dto.js';
import { EventBodyService } from './event-body.service.js';

const anyBytes = 'application/octet-stream';
/** A media type and its parameters (RFC 9110, 8.3.1): anything else is not passed on. */
const mediaType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(\s*;[\x20-\x7e]{0,200})?$/;

@ApiTags('events')
@Controller()
export class EventBodyController {
  constructor(private readonly bodies: EventBodyService) {}

  @Get('api/v1/events/:id/body')
  @RequireScopes('events:read_body')
  @ApiProduces(anyBytes)
  @ApiOkResponse({
    description: 'The bytes, with the content type that the sender gave; always as a download',
    content: { [anyBytes]: { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiOperation({ operationId: 'getEventBody', summary: 'Download the body as received, byte for byte' })
  async bytes(@Caller() caller: Principal, @Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    const { body, body_encoding: encoding, content_type: type } = await this.bodies.read(caller, id);
    // Anyone may have sent this: no browser may show it, sniff it, or run it in this origin.
    await reply
      .headers({
        'content-type': type !== null && mediaType.test(type) ? type : anyBytes,
        'content-disposition': `attachment; filename="${id}"`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-store',
      })
      .send(Buffer.from(body, encoding));
  }

  @Get('api/v1/events/:id/request')
  @RequireScopes('events:read_body')
  @ApiOkResponse({ type: EventRequestView })
  @ApiOperation({
    operationId: 'getEventRequest',
    summary: 'Read the received request: headers without secrets, source, size, body as text',
  })
  request(@Caller() caller: Principal, @Param('id') id: string): Promise<EventRequestView> {
    return this.bodies.request(caller, id);
  }

  /** For the engine, on behalf of a Python tool. */
  @Get('internal/events/:id/body')
  @RequireScopes('service')
  @ApiExcludeEndpoint()
  read(@Caller() caller: Principal, @Param('id') id: string): Promise<EventBody> {
    return this.bodies.read(caller, id);
  }
}
