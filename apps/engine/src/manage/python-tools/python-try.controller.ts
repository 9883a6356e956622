import type { PythonTryAnswer } from '#libs/contracts';
import { Caller, type Principal, Problem, RequireScopes } from '#libs/service-kit';
import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PythonTryService } from './python-try.service.js';
import { TryPython } from './python-try.dto.js';

/** For the registry: a person tries a Python tool outside a turn. */
@ApiExcludeController()
@Controller('internal/python-tries')
@RequireScopes('service')
export class PythonTryController {
  constructor(private readonly tries: PythonTryService) {}

  /** @throws Problem 403 `caller_not_allowed` for any other service */
  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  async run(@Caller() caller: Principal, @Body() body: TryPython): Promise<PythonTryAnswer> {
    if (caller.subject !== 'service:mcp-registry') {
      throw new Problem(403, 'caller_not_allowed', 'Only the service mcp-registry may call this.');
    }
    return this.tries.run(caller, body);
  }
}
