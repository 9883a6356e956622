import type { PythonEventAnswer, PythonHttpAnswer, PythonHttpRequest } from '#libs/contracts';
import { JsonObject, Problem, PublicRoute, Text } from '#libs/service-kit';
import { Body, Controller, Headers, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { PythonCallbackService } from './python-callback.service.js';

/** Checked as the arguments of `http_request` before it is made. */
class PythonCallbackBody implements PythonHttpRequest {
  @Text(10) method: string;
  @Text(8_192) url: string;
  @JsonObject({ optional: true }) headers?: Record<string, string>;
  @Allow() body?: unknown;
}

/**
 * For the python-runner: what the tool that runs asks of the platform. Who asks is told by the call's own token, which no other
 * service has and which ends with the call, so no service token is asked for.
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
