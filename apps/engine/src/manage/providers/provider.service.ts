import { newId, type ProjectScope } from '#libs/contracts';
import { type FieldError, notFound, type Principal, Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { EmbeddingModelRepository } from '../../knowledge/meaning/embedding-model.repository.js';
import { AgentRepository } from '../agents/agent.repository.js';
import { kindRules, type ProviderPlace, transcribingKinds } from '../../path/model/provider-kind.js';
import { ProviderDirectory } from '../../path/providers/provider-directory.js';
import { ProviderKeys } from '../../path/providers/provider-keys.js';
import type { CreateProvider, UpdateProvider } from './provider.dto.js';
import { placeOf, type Provider, type ProviderFields } from '../../entities/provider.entity.js';
import { ProviderRepository } from '../../path/providers/provider.repository.js';

const maxProviders = 100;
const fieldOf = { baseUrl: 'base_url', region: 'region', cloudProject: 'cloud_project' } as const;

/** A project's providers. The vault is asked to bind keys before a row names them. */
@Injectable()
export class ProviderService {
  constructor(
    private readonly providers: ProviderRepository,
    private readonly directory: ProviderDirectory,
    private readonly keys: ProviderKeys,
    private readonly agents: AgentRepository,
    private readonly meaning: EmbeddingModelRepository,
  ) {}

  list(owner: ProjectScope): Promise<Provider[]> {
    return this.providers.all(owner);
  }

  /** @throws Problem 404 */
  async get(owner: ProjectScope, id: string): Promise<Provider> {
    const provider = await this.providers.find(owner, id);
    if (!provider) throw notFound('provider', id);
    return provider;
  }

  /** @throws Problem 422 for fields that do not fit the kind; 409 for a name that is taken */
  async create(caller: Principal, body: CreateProvider): Promise<Provider> {
    const { name, kind, base_url = null, region = null, cloud_project = null, credential_ids = [] } = body;
    const place = { kind, base_url, region, cloud_project };
    const { models = [], default_model = null, transcription_model = null } = body;
    refuseUnfit(placeOf(place), credential_ids, transcription_model);
    const known = await this.providers.all(caller);
    if (named(known, name)) throw taken(name);
    if (known.length >= maxProviders)
      throw new Problem(409, 'too_many_providers', `A project has at most ${maxProviders} providers: delete one.`);
    const id = newId('prv');
    await this.bind(caller, id, credential_ids);
    const fields = { base_url, region, cloud_project, credential_ids, models, default_model, transcription_model };
    const provider = await this.providers.create(caller, { id, name, kind, ...fields });
    this.directory.forget(caller.projectId);
    if (provider) return provider;
    await this.keys.unbind(caller, id);
    throw taken(name);
  }

  /** @throws Problem 404, 422; 409 for a name that is taken, or while agents name its models by the one that it has */
  async update(caller: Principal, id: string, body: UpdateProvider): Promise<Provider> {
    const before = await this.get(caller, id);
    const fields = given(body);
    if (fields.name !== undefined && fields.name !== before.name) {
      if (named(await this.providers.all(caller), fields.name)) throw taken(fields.name);
      await this.refuseWhileUsed(caller, before);
    }
    const after = { ...before, ...fields };
    refuseUnfit(placeOf(after), after.credential_ids, after.transcription_model);
    const changesKeys = fields.credential_ids !== undefined;
    // A turn in between may still use a key that is being removed.
    if (changesKeys)
      await this.bind(caller, id, [...new Set([...after.credential_ids, ...before.credential_ids])], before);
    const provider = await this.providers.update(caller, id, fields);
    this.directory.forget(caller.projectId);
    if (!provider) throw notFound('provider', id);
    if (changesKeys) await this.keys.bind(caller, id, after.credential_ids);
    return provider;
  }

  /** @throws Problem 404; 409 while agents name its models, or documents are found by one of them */
  async delete(caller: Principal, id: string): Promise<void> {
    const provider = await this.get(caller, id);
    await this.refuseWhileUsed(caller, provider);
    if (await this.meaning.usesProvider(caller, id))
      throw new Problem(
        409,
        'provider_in_use',
        'The knowledge is searched by a model of it: choose another one first.',
      );
    await this.providers.delete(caller, id);
    this.directory.forget(caller.projectId);
    await this.keys.unbind(caller, id);
  }

  private async refuseWhileUsed(owner: ProjectScope, provider: Provider): Promise<void> {
    const users = await this.agents.namingModelsOf(owner, provider.name);
    if (users.length === 0) return;
    const names = users.map(({ name }) => name).join(', ');
    throw new Problem(409, 'provider_in_use', `Agents name its models: ${names}. Give them other models first.`);
  }

  /** @param before credentials that it has had may be deleted by now */
  private async bind(caller: Principal, id: string, credentialIds: string[], before?: Provider): Promise<void> {
    if (credentialIds.length === 0) return;
    const unknown = await this.keys.bind(caller, id, credentialIds);
    const wrong = unknown.filter((each) => !before?.credential_ids.includes(each));
    if (wrong.length === 0) return;
    if (!before) await this.keys.unbind(caller, id);
    throw invalid([{ field: 'credential_ids', message: `no such credential in this project: ${wrong.join(', ')}` }]);
  }
}

/** The fields of a body that it has: an instance of its class has all of them, undefined. */
function given(body: UpdateProvider): Partial<ProviderFields> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<ProviderFields>;
}

const named = (providers: Provider[], name: string): boolean => providers.some((other) => other.name === name);

/** @throws Problem 422 that names each field */
function refuseUnfit(place: ProviderPlace, credentialIds: string[], transcriptionModel: string | null): void {
  const { needs, keys } = kindRules[place.kind];
  const errors: FieldError[] = needs
    .filter((need) => place[need] === null)
    .map((need) => ({ field: fieldOf[need], message: `a provider of the kind ${place.kind} needs it` }));
  if (credentialIds.length === 0 && keys.every((names) => names.length > 0))
    errors.push({ field: 'credential_ids', message: `a provider of the kind ${place.kind} needs a key` });
  if (transcriptionModel !== null && !transcribingKinds.includes(place.kind)) {
    const message = `voice notes need a provider of one of the kinds ${transcribingKinds.join(', ')}`;
    errors.push({ field: 'transcription_model', message });
  }
  const problem = place.baseUrl === null ? null : urlProblem(place.baseUrl);
  if (problem !== null) errors.push({ field: 'base_url', message: problem });
  if (errors.length > 0) throw invalid(errors);
}

function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is no address: it begins with https://';
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') return 'begins with https:// or http://';
  if (username || password) return 'holds a password: put it into a credential';
  return search || hash ? 'has a query or a fragment, which paths cannot follow' : null;
}

const invalid = (errors: FieldError[]): Problem =>
  new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
const taken = (name: string): Problem =>
  new Problem(409, 'name_taken', `The project has a provider ${name}: choose another name.`);
