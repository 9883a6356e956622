import { Injectable } from '@nestjs/common';
import type { RawAnswer } from '../oauth-providers/token-answer.js';
import { Sealer } from '../sealing/sealer.js';
import { Secret } from '../sealing/secret.js';
import type { OauthGrant } from './grant.entity.js';

/** A sealed value with the data key that opens it. */
export interface SealedValue {
  kid: string;
  wrappedDek: Buffer;
  value: Buffer;
}

export interface SealedTokens {
  kid: string;
  wrappedDek: Buffer;
  accessToken: Buffer;
  refreshToken: Buffer | null;
  /** By name, in base64. */
  answerFields: Record<string, string>;
}

/** What a grant hands out. */
export interface GrantTokens {
  accessToken: Secret;
  refreshToken: Secret | null;
  answerFields: ReadonlyMap<string, Secret>;
}

type Owner = Pick<OauthGrant, 'organization_id' | 'credential_id'>;

/** Seals tokens to their grant's version. Answers, verifiers and revocations are sealed to the row that holds them. */
@Injectable()
export class GrantSealer {
  constructor(private readonly sealer: Sealer) {}

  async sealTokens(
    owner: Owner,
    version: number,
    { accessToken, refreshToken, answerFields }: GrantTokens,
  ): Promise<SealedTokens> {
    const fields = new Map([...answerFields, ['access_token', accessToken]]);
    if (refreshToken) fields.set('refresh_token', refreshToken);
    const { kid, wrappedDek, fields: sealed } = await this.sealer.seal(tokenPlace(owner, version), fields);
    return {
      kid,
      wrappedDek,
      accessToken: needed(sealed, 'access_token'),
      refreshToken: sealed.get('refresh_token') ?? null,
      answerFields: Object.fromEntries(
        [...answerFields.keys()].map((name) => [name, needed(sealed, name).toString('base64')]),
      ),
    };
  }

  /** @throws DoesNotOpen */
  async openTokens(grant: OauthGrant): Promise<GrantTokens> {
    const fields = new Map<string, Buffer>();
    const names = Object.keys(grant.answer_fields ?? {});
    for (const name of names) fields.set(name, Buffer.from(grant.answer_fields?.[name] ?? '', 'base64'));
    if (grant.access_token) fields.set('access_token', grant.access_token);
    if (grant.refresh_token) fields.set('refresh_token', grant.refresh_token);
    const sealed = { kid: grant.kid ?? '', wrappedDek: grant.wrapped_dek ?? Buffer.alloc(0), fields };
    const opened = await this.sealer.open(tokenPlace(grant, grant.version), sealed);
    return {
      accessToken: needed(opened, 'access_token'),
      refreshToken: opened.get('refresh_token') ?? null,
      answerFields: new Map(names.map((name) => [name, needed(opened, name)])),
    };
  }

  /** @param row id of the row that holds the value; it opens in no other */
  async seal(owner: Owner, row: string, value: Secret): Promise<SealedValue> {
    const { kid, wrappedDek, fields } = await this.sealer.seal(rowPlace(owner), new Map([[row, value]]));
    return { kid, wrappedDek, value: needed(fields, row) };
  }

  /** @throws DoesNotOpen */
  async open(owner: Owner, row: string, { kid, wrappedDek, value }: SealedValue): Promise<Secret> {
    return needed(await this.sealer.open(rowPlace(owner), { kid, wrappedDek, fields: new Map([[row, value]]) }), row);
  }

  /**
   * Called before the request is sent.
   * @returns seals the request's answer without calling a key service
   * @throws Problem 503 `key_unavailable`
   */
  async prepareAnswer(owner: Owner, attemptId: string): Promise<(answer: RawAnswer) => SealedValue> {
    const seal = await this.sealer.prepare(rowPlace(owner));
    return (answer) => {
      const { kid, wrappedDek, fields } = seal(new Map([[attemptId, new Secret(JSON.stringify(answer))]]));
      return { kid, wrappedDek, value: needed(fields, attemptId) };
    };
  }

  /** @throws DoesNotOpen */
  async openAnswer(owner: Owner, attemptId: string, sealed: SealedValue): Promise<RawAnswer> {
    return JSON.parse((await this.open(owner, attemptId, sealed)).reveal()) as RawAnswer;
  }
}

const tokenPlace = (owner: Owner, version: number) => ({ ...placeOf(owner), type: 'oauth2', generation: version });
const rowPlace = (owner: Owner) => ({ ...placeOf(owner), type: 'oauth2-row', generation: 0 });
const placeOf = (owner: Owner) => ({ organizationId: owner.organization_id, credentialId: owner.credential_id });

function needed<T>(values: ReadonlyMap<string, T>, name: string): T {
  const value = values.get(name);
  if (value === undefined) throw new Error(`nothing is sealed as ${name}`);
  return value;
}
