import { findHold, hasLeft } from '#libs/journal';
import { Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { DataSource } from 'typeorm';
import { Sealer } from '../sealing/sealer.js';
import { Secret } from '../sealing/secret.js';
import { ArrivalKey } from '../sealing/arrival-key.entity.js';

/** A key pair of the installation, for moves of projects. */
export interface OwnKey {
  id: string;
  algorithm: string;
}

/** For it others seal the data keys of what moves here. */
export const arrivalKey: OwnKey = { id: 'arrival_key', algorithm: 'ECDH-ES+A256KW' };
/** It signs the webhooks that are handed on to where a project has moved. */
export const handOnKey: OwnKey = { id: 'hand_on_key', algorithm: 'EdDSA' };

const ofNobody = 'installation';
const placeOf = ({ id }: OwnKey) => ({ organizationId: ofNobody, credentialId: id, type: id, generation: 1 });
const field = 'private_key';

/** Makes a key pair of the installation when it is first asked for, and opens it. */
@Injectable()
export class OwnKeyRepository {
  constructor(
    private readonly db: DataSource,
    private readonly sealer: Sealer,
  ) {}

  async publicKey(key: OwnKey): Promise<JWK> {
    return ((await this.find(key)) ?? (await this.make(key))).public_key;
  }

  /** @returns null before it was asked for */
  async privateKey(key: OwnKey): Promise<JWK | null> {
    const row = await this.find(key);
    if (!row) return null;
    const fields = new Map([[field, row.private_key]]);
    const opened = await this.sealer.open(placeOf(key), { kid: row.kid, wrappedDek: row.wrapped_dek, fields });
    return JSON.parse(opened.get(field)?.reveal() ?? 'null') as JWK | null;
  }

  /** Whether the project is in another installation, and its webhooks are still handed on. */
  async isHandedOn(projectId: string): Promise<boolean> {
    const held = await findHold(this.db, projectId);
    return held !== null && hasLeft(held.state) && held.ended_at === null;
  }

  private find({ id }: OwnKey): Promise<ArrivalKey | null> {
    return this.db.getRepository(ArrivalKey).findOneBy({ id });
  }

  /** Of two processes that make one at the same time, the first one's counts. */
  private async make(key: OwnKey): Promise<ArrivalKey> {
    const { id, algorithm } = key;
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const [publicKey, privateKey] = [await exportJWK(pair.publicKey), await exportJWK(pair.privateKey)];
    const sealed = await this.sealer.seal(placeOf(key), new Map([[field, new Secret(JSON.stringify(privateKey))]]));
    const made = {
      id,
      organization_id: ofNobody,
      public_key: publicKey as Record<string, string>,
      kid: sealed.kid,
      wrapped_dek: sealed.wrappedDek,
      private_key: sealed.fields.get(field) ?? Buffer.alloc(0),
    };
    const table = this.db.getRepository(ArrivalKey);
    await table.createQueryBuilder().insert().values(made).orIgnore().execute();
    return table.findOneByOrFail({ id });
  }
}
