import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { credentialStatuses } from '../credential-store/credential.entity.js';
import { Verifier } from './verifier.js';

export class VerificationView {
  @ApiProperty() ok: boolean;
  @ApiProperty({ enum: credentialStatuses }) status: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'If not ok: auth_failed: it is refused; any other code: it could not be checked',
  })
  code: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The cause, in words' }) reason: string | null;
  @ApiProperty({ description: 'It belongs to a different account of the provider than before' })
  account_changed: boolean;
}

@ApiTags('credentials')
@Controller('api/v1/credentials/:id/verify')
export class VerificationController {
  constructor(private readonly verifier: Verifier) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('credentials:write')
  @ApiOperation({
    summary: 'Verify a credential: ask the provider, through the adapter, whether it is accepted',
    operationId: 'verifyCredential',
  })
  @ApiOkResponse({ type: VerificationView })
  verify(@Caller() caller: Principal, @Param('id') id: string): Promise<VerificationView> {
    return this.verifier.verify(caller, id);
  }
}
