import { AsGiven, JsonObject, NestedList, Text, TextList, Whole } from '#libs/service-kit';
import { Type } from 'class-transformer';
import { IsArray } from 'class-validator';
import type { DeliveryKey, Receipt } from '../../path/receipts/receipt.repository.js';
import type { Item } from '../../path/receipts/write-receipts.js';

/** Receipts of one request: a batch of a few megabytes, or one that is larger. */
export const mostHandedOn = 200;

const bodyCharacters = 96 * 1024 * 1024;

/** A receipt as it travels: exactly what was received. */
export class HandedOnReceipt {
  @Text(100, { minLength: 16 }) id: string;
  @Text(100) received_at: string;
  @Text(100) app_id: string;
  @Text(100, { nullable: true }) reason: string | null;
  @Text(20) method: string;
  @Text(100_000) url: string;
  @JsonObject() headers: Record<string, unknown>;
  /** Base64. */
  @Text(bodyCharacters) body: string;
  @Text(100, { nullable: true }) verified_scheme: string | null;
  @Text(200) remote_address: string;
  /** Hash of the key and of the body, each in base64. */
  @IsArray() @AsGiven() keys: [string, string][];
}

export class HandedOnQuery {
  @Type(() => Number) @Whole(1, mostHandedOn) limit: number;
}

export class HandedOnReceipts {
  @NestedList(HandedOnReceipt, mostHandedOn) receipts: HandedOnReceipt[];
}

export class HandedOnEnds {
  @TextList(mostHandedOn, 100) ids: string[];
  @Text(500) to: string;
}

const encoded = (hash: string): string => Buffer.from(hash, 'latin1').toString('base64');
const decoded = (text: unknown): string => Buffer.from(String(text), 'base64').toString('latin1');

export function viewOf(receipt: Receipt, keys: DeliveryKey[]): HandedOnReceipt {
  return {
    id: receipt.id,
    received_at: receipt.receivedAt.toISOString(),
    app_id: receipt.appId,
    reason: receipt.reason,
    method: receipt.method,
    url: receipt.url,
    headers: receipt.headers,
    body: receipt.body.toString('base64'),
    verified_scheme: receipt.verifiedScheme,
    remote_address: receipt.remoteAddress,
    keys: keys.map(({ hash, bodyHash }) => [encoded(hash), encoded(bodyHash)]),
  };
}

/** What may come so: what has another reason had ended where it was received. */
const reasons: readonly (string | null)[] = ['missed', 'delivery_id_reused'] satisfies Receipt['reason'][];

/** @param of whose it is here */
export function itemOf(given: HandedOnReceipt, of: Pick<Receipt, 'organizationId' | 'projectId' | 'outcome'>): Item {
  const receipt: Receipt = {
    ...of,
    id: given.id,
    receivedAt: new Date(given.received_at),
    appId: given.app_id,
    reason: reasons.includes(given.reason) ? (given.reason as Receipt['reason']) : null,
    method: given.method,
    url: given.url,
    headers: given.headers as Receipt['headers'],
    body: Buffer.from(given.body, 'base64'),
    verifiedScheme: given.verified_scheme,
    remoteAddress: given.remote_address,
  };
  return {
    receipt,
    keys: given.keys.map(([hash, bodyHash]) => ({ hash: decoded(hash), bodyHash: decoded(bodyHash) })),
  };
}
