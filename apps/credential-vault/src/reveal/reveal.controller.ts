import { Caller, notFound, type Principal, Problem, RequireScopes, Text, TextList, TokenOnce } from '#libs/service-kit';
import { Body, Controller, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AuditRepository } from '../audit/audit.repository.js';
import { CredentialOpener } from '../credential-store/credential-opener.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import { type FieldValue, fromSecret } from '../credential-store/field-value.js';
import { ServicePolicy } from '../service-policy/service-policy.js';

export class RevealFields {
  @TextList(50, 64, { description: 'Each by its name: there is no "all"' }) fields: string[];
  @Text(500, { minLength: 3, description: 'Why; it is kept in the audit log' }) reason: string;
}

/** Returns any field, regardless of bindings: for services that the policy names, with a reason. */
@ApiTags('internal')
@Controller('internal/credentials/:id/reveal')
@TokenOnce()
@RequireScopes('service', 'credentials:reveal')
export class RevealController {
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly opener: CredentialOpener,
    private readonly audit: AuditRepository,
    private readonly policy: ServicePolicy,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'Reveal the values of named fields; audited', operationId: 'revealCredential' })
  async reveal(
    @Caller() caller: Principal,
    @Param('id') id: string,
    @Body() { fields, reason }: RevealFields,
  ): Promise<{ credential_id: string; generation: number; fields: Record<string, FieldValue> }> {
    this.policy.check(caller, 'reveal');
    const row = await this.credentials.find(caller, id);
    if (!row) throw notFound('credential', id);
    const unknown = fields.filter((name) => !row.fields.some(({ field }) => field === name));
    if (unknown.length > 0) {
      throw new Problem(422, 'unknown_fields', `Credential ${id} has no field ${unknown.join(', ')}.`);
    }
    const opened = await this.opener.open(row, fields);
    const { organizationId, projectId, subject: actor } = caller;
    // Before the answer: nothing is shown that could not be audited.
    await this.audit.append([
      { organizationId, projectId, credentialId: id, actor, action: 'revealed', fields, reason },
    ]);
    const values = [...opened].map(([name, secret]) => [name, fromSecret(secret)] as const);
    return { credential_id: id, generation: row.generation, fields: Object.fromEntries(values) };
  }
}
