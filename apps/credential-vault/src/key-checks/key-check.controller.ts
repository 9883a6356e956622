import { Caller, type Principal, Problem, RequireScopes, TokenOnce } from '#libs/service-kit';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import type { Credential } from '../credential-store/credential.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import type { Secret } from '../sealing/secret.js';
import { ServicePolicy } from '../service-policy/service-policy.js';
import { CheckKeys, KeyProblemsList } from './key-check.dto.js';
import { keyProblems } from './key-problems.js';

/** For services that bind credentials: whether the secrets can protect what they are about to check. */
@ApiTags('internal')
@Controller('internal/credentials')
@TokenOnce()
@RequireScopes('service')
export class KeyCheckController {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
    private readonly policy: ServicePolicy,
  ) {}

  @Post('check-keys')
  @HttpCode(200)
  @ApiOperation({ summary: 'Whether secrets can protect, without their values', operationId: 'checkKeys' })
  @ApiOkResponse({ type: KeyProblemsList })
  async check(@Caller() caller: Principal, @Body() { credentials: asked }: CheckKeys): Promise<KeyProblemsList> {
    this.policy.check(caller, 'bind');
    const rows = await this.credentials.findAll(caller, [...new Set(asked.map(({ credential_id: id }) => id))]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const data = await Promise.all(
      asked.map(async ({ credential_id, ...check }) => {
        const row = byId.get(credential_id);
        const values = row ? await this.opened(row) : new Map<string, Secret>();
        return { credential_id, problems: keyProblems(check, values, (field) => field) };
      }),
    );
    return { data };
  }

  /** One that does not open is reported as such elsewhere. */
  private async opened(row: Credential): Promise<Map<string, Secret>> {
    try {
      return await this.opener.open(row);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'credential_undecryptable') throw error;
      return new Map();
    }
  }
}
