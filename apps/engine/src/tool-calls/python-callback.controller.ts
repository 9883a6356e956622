import type { PythonHttpAnswer } from '#libs/contracts';
import { Problem, PublicRoute } from '#libs/service-kit';
import { Body, Controller, Headers, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PythonCallbackBody } from './python-callback.dto.js';
import { PythonCallbacks } from './python-callbacks.service.js';

/**
 * For the python-runner: HTTP requests of the tool that runs. Who asks is told by the call's own token, which no other
 * service has and which ends with the call, so no service token is asked for.
 */
@ApiExcludeController()
@Controller('internal/python-callbacks')
export class PythonCallbackController {
  constructor(@Inject(PythonCallbacks) private readonly callbacks: PythonCallbacks) {}

  @Post()
  @HttpCode(200)
  @PublicRoute()
  async request(
    @Headers('authorization') authorization: string | undefined,
    @Body() body: PythonCallbackBody,
  ): Promise<PythonHttpAnswer> {
    const token = /^Bearer ([\w-]{20,200})$/.exec(authorization ?? '')?.[1];
    if (!token) throw new Problem(401, 'not_authenticated', 'Send the token of the call.');
    return this.callbacks.request(token, body);
  }
}
