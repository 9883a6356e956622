import { newId } from '#libs/contracts';
import { notFound, pageOf, type Page, type PageQuery, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import { checkFields, readFields } from './credential-fields.js';
import type { CreateCredential, CredentialView, UpdateCredential } from './credential.dto.js';
import type { Credential } from './credential.entity.js';
import { CredentialOpener } from './credential-opener.js';
import { CredentialRepository, type CredentialScope, NameTaken } from './credential.repository.js';

@Injectable()
export class CredentialService {
  constructor(
    @Inject(CredentialRepository) private readonly credentials: CredentialRepository,
    @Inject(CredentialOpener) private readonly opener: CredentialOpener,
    @Inject(Sealer) private readonly sealer: Sealer,
  ) {}

  async create(scope: CredentialScope, body: CreateCredential): Promise<CredentialView> {
    const { name, type } = body;
    if (type === 'oauth2') {
      throw new Problem(422, 'unsupported_type', 'Credentials of the type oauth2 are not supported by this version.');
    }
    const fields = readFields(body.fields);
    checkFields(type, fields);
    const id = newId('cred');
    const generation = 1;
    const sealed = await this.sealer.seal(
      { organizationId: scope.organizationId, credentialId: id, type, generation },
      fields,
    );
    const owner = { organization_id: scope.organizationId, project_id: scope.projectId };
    const keys = { kid: sealed.kid, wrapped_dek: sealed.wrappedDek };
    await refuseTakenName(name, () =>
      this.credentials.insert({ id, ...owner, name, type, ...keys, generation, status: 'active' }, sealed),
    );
    return this.get(scope, id);
  }

  async list(scope: CredentialScope, { limit, cursor }: PageQuery): Promise<Page<CredentialView>> {
    const rows = await this.credentials.list(scope, limit + 1, cursor);
    const page = pageOf(rows, limit, (row) => row.id);
    return { data: page.data.map(view), next_cursor: page.next_cursor };
  }

  async get(scope: CredentialScope, id: string): Promise<CredentialView> {
    const row = await this.credentials.find(scope, id);
    if (!row) throw notFound('credential', id);
    return view(row);
  }

  /** Merges fields over those there are; null removes one. */
  async update(scope: CredentialScope, id: string, { name, fields }: UpdateCredential): Promise<CredentialView> {
    return this.write(scope, id, name, fields && ((row) => this.merged(row, fields)));
  }

  /** Replaces all fields; what was there need not open for it. */
  async rotate(scope: CredentialScope, id: string, fields: Record<string, unknown>): Promise<CredentialView> {
    return this.write(scope, id, undefined, async () => readFields(fields));
  }

  async delete(scope: CredentialScope, id: string): Promise<void> {
    if (!(await this.credentials.delete(scope, id))) throw notFound('credential', id);
  }

  /** All fields are sealed anew to the next generation, so that no older value can be put back in their place. */
  private async write(
    scope: CredentialScope,
    id: string,
    name: string | undefined,
    fieldsOf: ((row: Credential) => Promise<Map<string, Secret>>) | undefined,
  ): Promise<CredentialView> {
    const found = await refuseTakenName(name ?? '', () =>
      this.credentials.update(scope, id, async (row) => {
        if (!fieldsOf) return { name: name ?? row.name, generation: row.generation, sealed: null };
        const fields = await fieldsOf(row);
        checkFields(row.type, fields);
        const generation = row.generation + 1;
        const { organizationId } = scope;
        const sealed = await this.sealer.seal({ organizationId, credentialId: id, type: row.type, generation }, fields);
        return { name: name ?? row.name, generation, sealed };
      }),
    );
    if (!found) throw notFound('credential', id);
    return this.get(scope, id);
  }

  private async merged(row: Credential, given: Record<string, unknown>): Promise<Map<string, Secret>> {
    const entries = Object.entries(given);
    const fields = await this.opener.open(row);
    for (const [name, value] of entries) if (value === null) fields.delete(name);
    for (const [name, secret] of readFields(Object.fromEntries(entries.filter(([, value]) => value !== null)))) {
      fields.set(name, secret);
    }
    return fields;
  }
}

async function refuseTakenName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof NameTaken)) throw error;
    throw new Problem(409, 'name_taken', `This project has a credential named ${JSON.stringify(name)} already.`);
  }
}

function view(row: Credential): CredentialView {
  const { id, name, type, generation, status } = row;
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
  return { id, name, type, fields: row.fields.map(({ field }) => field).sort(), generation, status, ...times };
}
