import { idDigits, idTimeMs } from '#libs/contracts';
import { AsGiven, JsonObject, NestedList, Problem, Text, TextList, Whole } from '#libs/service-kit';
import { Type } from 'class-transformer';
import { IsArray } from 'class-validator';
import type { PublicAddress } from '../../path/receipts/receipt-job.js';
import type { DeliveryKey, Receipt } from '../../path/receipts/receipt.repository.js';
import type { Item } from '../../path/receipts/write-receipts.js';

/** Receipts of one request: a batch of a few megabytes, or one that is larger. */
export const mostHandedOn = 200;

const bodyCharacters = 96 * 1024 * 1024;

/** A receipt as it travels: exactly what was received, and where. */
export class HandedOnReceipt {
  @Text(100, { minLength: 16 }) id: string;
  @Text(100) received_at: string;
  @Text(100) app_id: string;
  @Text(100, { nullable: true }) reason: string | null;
  @Text(20) method: string;
  /** Whole: its signature may cover the address of the installation that received it. */
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

/** One that the other installation never takes. */
export class HandedOnDead {
  @Text(100) id: string;
  @Text(500) to: string;
  /** The code with which it was refused. */
  @Text(100) reason: string;
  @Text(2_000) error: string;
}

const encoded = (hash: string): string => Buffer.from(hash, 'latin1').toString('base64');
const decoded = (text: unknown): string => Buffer.from(String(text), 'base64').toString('latin1');

export function viewOf(receipt: Receipt, keys: DeliveryKey[], at: Pick<PublicAddress, 'whole'>): HandedOnReceipt {
  return {
    id: receipt.id,
    received_at: receipt.receivedAt.toISOString(),
    app_id: receipt.appId,
    reason: receipt.reason,
    method: receipt.method,
    url: at.whole(receipt.url),
    headers: receipt.headers,
    body: receipt.body.toString('base64'),
    verified_scheme: receipt.verifiedScheme,
    remote_address: receipt.remoteAddress,
    keys: keys.map(({ hash, bodyHash }) => [encoded(hash), encoded(bodyHash)]),
  };
}

const receiptId = new RegExp(`^evt_${idDigits('evt')}$`);
const wholeUrl = /^https?:\/\/[^/?#]+\/./;
/** Clocks differ, and ids do not follow one that is set back. A day that has not come has no place for rows yet. */
const aheadMs = 3_600_000;

const isText = (value: unknown): boolean => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/**
 * Receipts are found, and their partitions kept, by the time in their ids.
 * @throws Problem 422 `receipt_wrong`
 */
export function requireReceipt(given: HandedOnReceipt, nowMs: number): void {
  const { id, received_at: receivedAt, url, headers, keys } = given;
  const timeMs = idTimeMs(id);
  const isTimely = timeMs === Date.parse(receivedAt) && timeMs <= nowMs + aheadMs;
  const areHeaders = Object.values(headers).every((value) => isText(value) || areTexts(value));
  const areKeys = keys.every((key: unknown) => areTexts(key) && (key as string[]).length === 2);
  const checks: [boolean, string][] = [
    [receiptId.test(id), 'id: give that of an event'],
    [isTimely, 'received_at: give the time in the id, which is not ahead of the clock here (RFC 3339)'],
    [wholeUrl.test(url) && URL.canParse(url), 'url: give it whole, with the address at which it was received'],
    [areHeaders, 'headers: give each as a text, or as a list of texts'],
    [areKeys, 'keys: give each as two texts, in base64'],
  ];
  const wrong = checks.find(([isRight]) => !isRight)?.[1];
  if (wrong !== undefined) throw new Problem(422, 'receipt_wrong', `Of the receipt ${id}, ${wrong}.`);
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
