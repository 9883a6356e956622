import type { PythonCompileAnswer } from '#libs/contracts';
import { Caller, type Principal, RequireScopes, Text } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { onlyFor } from '../called-by.js';
import { CompileService } from './compile.service.js';

class CompileSource {
  @Text(1_048_576, { minLength: 1, description: 'Python source of one tool' }) source: string;
}

@ApiTags('internal')
@Controller('internal/compile')
@RequireScopes('service')
export class CompileController {
  constructor(private readonly compiler: CompileService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Compile a Python tool: its name, description and schema, or its errors',
    operationId: 'compile',
  })
  compile(@Caller() caller: Principal, @Body() body: CompileSource): Promise<PythonCompileAnswer> {
    onlyFor(caller, 'mcp-registry');
    return this.compiler.compile(caller, body.source);
  }
}
