import type { RowPassage, RowsPage } from '#libs/project-rows';
import { Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, CompactEncrypt, compactDecrypt, importJWK, type JWK } from 'jose';
import type { ProjectScope } from '#libs/contracts';
import { DoesNotOpen } from '../sealing/aead.js';
import { dekPlace } from '../sealing/associated-data.js';
import { KEY_BACKEND, type KeyBackend } from '../sealing/kek-ring.js';
import { sealedTables } from '../sealing/sealed-tables.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { arrivalKey, OwnKeyRepository } from './own-key.repository.js';

/** What is sealed for the other vault. It opens for the row that it says, and no other. */
interface MovedKey {
  table: string;
  organization_id: string;
  credential_id: string;
  /** Base64. */
  dek: string;
}

/**
 * Data keys on their way to another vault. What they seal goes as it is; each of them is unwrapped, sealed for the public
 * key of the other vault (RFC 7516, with an ephemeral key of its own), and wrapped there under its primary KEK.
 */
@Injectable()
export class MovedKeys implements RowPassage {
  constructor(
    @Inject(KEY_BACKEND) private readonly keys: KeyBackend,
    private readonly arrivals: OwnKeyRepository,
    @Inject(SETTINGS) private readonly settings: Pick<VaultSettings, 'MOVE_TARGET_KEYS'>,
  ) {}

  /** @throws Problem 403 `vault_not_named`; 409 `key_does_not_open` */
  async leave(scope: ProjectScope, table: string, page: RowsPage, recipient: JWK): Promise<RowsPage> {
    const columns = columnsOf(table, page);
    if (!columns) return page;
    const key = await this.named(recipient);
    return this.changed(page, columns, async (kid, wrapped, credentialId) => {
      const owner = { organizationId: scope.organizationId, credentialId };
      const dek = await this.unwrapped(kid, wrapped, owner);
      const moved: MovedKey = {
        table,
        organization_id: scope.organizationId,
        credential_id: credentialId,
        dek: dek.toString('base64'),
      };
      dek.fill(0);
      const sealed = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(moved)))
        .setProtectedHeader({ alg: arrivalKey.algorithm, enc: 'A256GCM' })
        .encrypt(key);
      return [kid, sealed];
    });
  }

  /** @throws Problem 422 `key_does_not_open` */
  async arrive(scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    const columns = columnsOf(table, page);
    if (!columns) return page;
    const own = await this.arrivals.privateKey(arrivalKey);
    if (!own) throw unopened(table);
    const key = await importJWK(own, arrivalKey.algorithm);
    const to = this.keys.primary;
    return this.changed(page, columns, async (_kid, sealed, credentialId) => {
      const { plaintext } = await compactDecrypt(sealed, key).catch(() => {
        throw unopened(table);
      });
      const moved = JSON.parse(new TextDecoder().decode(plaintext)) as MovedKey;
      const isThere =
        moved.table === table && moved.organization_id === scope.organizationId && moved.credential_id === credentialId;
      if (!isThere) throw unopened(table);
      const dek = Buffer.from(moved.dek, 'base64');
      const wrapped = await this.keys.wrap(
        to,
        dek,
        dekPlace(to, { organizationId: scope.organizationId, credentialId }),
      );
      dek.fill(0);
      return [to, `\\x${wrapped.toString('hex')}`];
    });
  }

  /** Whoever may call the API could name a key of their own: whom this vault trusts is a setting. */
  private async named(recipient: JWK) {
    const thumbprint = await calculateJwkThumbprint(recipient).catch(() => null);
    if (thumbprint !== null && this.settings.MOVE_TARGET_KEYS.includes(thumbprint)) {
      return importJWK(recipient, arrivalKey.algorithm);
    }
    throw new Problem(
      403,
      'vault_not_named',
      `This vault seals for no key ${thumbprint ?? 'of that form'}: set MOVE_TARGET_KEYS of the credential-vault to the ` +
        'thumbprint that the other installation shows, and start it again.',
    );
  }

  private async unwrapped(
    kid: string,
    wrapped: string,
    owner: { organizationId: string; credentialId: string },
  ): Promise<Buffer> {
    try {
      return await this.keys.unwrap(kid, Buffer.from(wrapped.slice(2), 'hex'), dekPlace(kid, owner));
    } catch (error) {
      if (!(error instanceof DoesNotOpen)) throw error;
      const detail = `The data key of ${owner.credentialId} does not open: delete that credential, or restore its key.`;
      throw new Problem(409, 'key_does_not_open', detail);
    }
  }

  /** @param change of a data key as it is stored or sealed. Rows without one stay as they are */
  private async changed(
    page: RowsPage,
    { kid, dek, credential }: SealedColumns,
    change: (kid: string, dek: string, credentialId: string) => Promise<[kid: string, dek: string]>,
  ): Promise<RowsPage> {
    const rows = page.rows.map(async (row) => {
      const given = [row[kid], row[dek], row[credential]];
      const [name, key, credentialId] = given;
      if (typeof name !== 'string' || typeof key !== 'string' || typeof credentialId !== 'string') return row;
      const [newName, newKey] = await change(name, key, credentialId);
      return row.with(kid, newName).with(dek, newKey);
    });
    return { columns: page.columns, rows: await Promise.all(rows) };
  }
}

/** Where a row has its data key. */
interface SealedColumns {
  kid: number;
  dek: number;
  credential: number;
}

function columnsOf(name: string, { columns }: RowsPage): SealedColumns | null {
  const table = sealedTables.find((each) => each.name === name);
  if (!table) return null;
  const at = (column: string): number => columns.indexOf(column);
  return { kid: at('kid'), dek: at('wrapped_dek'), credential: at(table.credential) };
}

const unopened = (table: string): Problem =>
  new Problem(422, 'key_does_not_open', `A data key of ${table} was not sealed for this vault, or not for its row.`);
