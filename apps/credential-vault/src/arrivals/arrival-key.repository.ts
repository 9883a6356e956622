import { Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { DataSource } from 'typeorm';
import { Sealer } from '../sealing/sealer.js';
import { Secret } from '../sealing/secret.js';
import { ArrivalKey } from '../sealing/arrival-key.entity.js';

export const arrivalAlgorithm = 'ECDH-ES+A256KW';
const id = 'arrival_key';
const ofNobody = 'installation';
const place = { organizationId: ofNobody, credentialId: id, type: 'arrival_key', generation: 1 };
const field = 'private_key';

/** Makes the installation's arrival key when it is first asked for, and opens it. */
@Injectable()
export class ArrivalKeyRepository {
  constructor(
    private readonly db: DataSource,
    private readonly sealer: Sealer,
  ) {}

  async publicKey(): Promise<JWK> {
    return ((await this.find()) ?? (await this.make())).public_key;
  }

  /** @returns null before it was asked for */
  async privateKey(): Promise<JWK | null> {
    const row = await this.find();
    if (!row) return null;
    const fields = new Map([[field, row.private_key]]);
    const opened = await this.sealer.open(place, { kid: row.kid, wrappedDek: row.wrapped_dek, fields });
    return JSON.parse(opened.get(field)?.reveal() ?? 'null') as JWK | null;
  }

  private find(): Promise<ArrivalKey | null> {
    return this.db.getRepository(ArrivalKey).findOneBy({ id });
  }

  /** Of two processes that make one at the same time, the first one's counts. */
  private async make(): Promise<ArrivalKey> {
    const pair = await generateKeyPair(arrivalAlgorithm, { extractable: true });
    const [publicKey, privateKey] = [await exportJWK(pair.publicKey), await exportJWK(pair.privateKey)];
    const sealed = await this.sealer.seal(place, new Map([[field, new Secret(JSON.stringify(privateKey))]]));
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
