import type { PythonEventAnswer, PythonHttpAnswer, PythonHttpRequest } from '#libs/contracts';
import { AsGiven, JsonObject, Problem, PublicRoute, Text } from '#libs/service-kit';
import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { PythonCallbackService } from './python-callback.service.js';

/** Checked against the schema of `http_request` before the request is made. */
class PythonCallbackBody implements PythonHttpRequest {
  @Text(10) method: string;
  @Text(8_192) url: string;
  @JsonObject({ optional: true }) headers?: Record<string, string>;
  @AsGiven() @Allow() body?: unknown;
}

/**
 * For the python-runner: requests of a running tool to the platform. The call's own token identifies the caller. No
 * other service has it and it ends with the call, so no service token is required.
 */
@ApiExcludeController()
@Controller('internal/python-callbacks')
export class PythonCallbackController {
  constructor(private readonly callbacks: PythonCallbackService) {}

  @Post()
  @HttpCode(200)
  @PublicRoute()
  async request(
    @Headers('authorization') authorization: string | undefined,
    @Body() body: PythonCallbackBody,
  ): Promise<PythonHttpAnswer> {
    return this.callbacks.request(tokenOf(authorization), body);
  }

  @Post('event')
  @HttpCode(200)
  @PublicRoute()
  async event(@Headers('authorization') authorization: string | undefined): Promise<PythonEventAnswer> {
    return this.callbacks.event(tokenOf(authorization));
  }
}

function tokenOf(authorization: string | undefined): string {
  const token = /^Bearer ([\w-]{20,200})$/.exec(authorization ?? '')?.[1];
  if (!token) throw new Problem(401, 'not_authenticated', 'Send the token of the call.');
  return token;
}
