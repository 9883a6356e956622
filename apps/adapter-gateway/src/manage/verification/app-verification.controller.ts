import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { VerifiedAppView } from './app-verification.dto.js';
import { AppVerification } from './app-verification.js';

@ApiTags('apps')
@Controller('api/v1/apps/:id/verify')
export class AppVerificationController {
  constructor(private readonly verification: AppVerification) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('apps:write')
  @ApiOperation({
    operationId: 'verifyApp',
    summary: 'Check an App: adapter, credentials, webhook, signatures, handshake, clocks',
    description:
      'Sends valid and invalid requests to its public URL. They are checked and answered like any other but not processed: accepted ones end as `verification`.',
  })
  @ApiOkResponse({ type: VerifiedAppView })
  verify(@Caller() caller: Principal, @Param('id') id: string): Promise<VerifiedAppView> {
    return this.verification.verify(caller, id);
  }
}
