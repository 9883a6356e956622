import type { DeliveryKey, Receipt } from './receipt.repository.js';

/** A slower write is our failure: the sender gets 503 and sends again. */
export const statementTimeoutMs = 4_000;

// Set in the statement, not on the connection: behind a pooler, every transaction may use another connection.
const bounded = `SET LOCAL statement_timeout = ${statementTimeoutMs}`;
const receiptStatement = `COPY ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome,
  reason, method, url, headers, body, verified_scheme, remote_address) FROM STDIN (FORMAT binary)`;
const keyStatement = `COPY ingress.delivery_key (app_id, key_hash, receipt_id, body_hash, received_at)
  FROM STDIN (FORMAT binary)`;
const receiptsAlone = Buffer.from(`${bounded}; ${receiptStatement}\0`);
/** The statements of one Query message form one transaction and take one round trip. */
const keysAndReceipts = Buffer.from(`${bounded}; ${keyStatement}; ${receiptStatement}\0`);
const receiptColumns = 13;
const keyColumns = 5;
const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const postgresEpochMs = Date.UTC(2000, 0, 1);
const firstBytes = 256 * 1024;
/** A buffer that grew beyond this for large bodies is dropped after its batch. */
const keptBytes = 4 * 1024 * 1024;

/** A key and its receipt. */
export interface ReceiptKey {
  receipt: Receipt;
  key: DeliveryKey;
}

/**
 * Encodes the messages that copy receipts: Query, CopyData and CopyDone of the frontend protocol, with the data in
 * binary COPY format (PostgreSQL, "Message Formats" and "COPY"). It reuses one buffer: allocating new ones, 70 MB a
 * second, made V8 mark its whole heap once or twice a second.
 */
export class CopyEncoder {
  private readonly message = new Message();

  /** @returns bytes that are valid until the next call */
  encode(receipts: Receipt[], keys: ReceiptKey[]): Buffer {
    const { message } = this;
    message.restart();
    message
      .start('Q')
      .raw(keys.length > 0 ? keysAndReceipts : receiptsAlone)
      .end();
    if (keys.length > 0) this.encodeKeys(keys);
    this.encodeReceipts(receipts);
    return message.written;
  }

  private encodeKeys(keys: ReceiptKey[]): void {
    const { message } = this;
    message.start('d').raw(signature);
    for (const { receipt, key } of keys) {
      message.int16(keyColumns).text(receipt.appId).latin1(key.hash).text(receipt.id).latin1(key.bodyHash);
      message.timestamp(receipt.receivedAt);
    }
    message.int16(-1).end();
    message.start('c').end();
  }

  private encodeReceipts(receipts: Receipt[]): void {
    const { message } = this;
    message.start('d').raw(signature);
    for (const receipt of receipts) {
      message.int16(receiptColumns);
      message.text(receipt.id).timestamp(receipt.receivedAt).text(receipt.organizationId).text(receipt.projectId);
      message.text(receipt.appId).text(receipt.outcome).text(receipt.reason).text(receipt.method).text(receipt.url);
      message.text(JSON.stringify(receipt.headers)).bytes(receipt.body).text(receipt.verifiedScheme);
      message.text(receipt.remoteAddress);
    }
    message.int16(-1).end();
    message.start('c').end();
  }
}

class Message {
  private buffer = Buffer.allocUnsafeSlow(firstBytes);
  private at = 0;
  private lengthAt = 0;

  get written(): Buffer {
    return this.buffer.subarray(0, this.at);
  }

  restart(): void {
    this.at = 0;
    if (this.buffer.length > keptBytes) this.buffer = Buffer.allocUnsafeSlow(firstBytes);
  }

  start(type: string): this {
    this.room(5);
    this.at = this.buffer.writeUInt8(type.charCodeAt(0), this.at);
    this.lengthAt = this.at;
    this.at += 4;
    return this;
  }

  /** The length of a message includes itself, but not the type before it. */
  end(): void {
    this.buffer.writeInt32BE(this.at - this.lengthAt, this.lengthAt);
  }

  raw(bytes: Buffer): this {
    this.room(bytes.length);
    this.at += bytes.copy(this.buffer, this.at);
    return this;
  }

  int16(value: number): this {
    this.room(2);
    this.at = this.buffer.writeInt16BE(value, this.at);
    return this;
  }

  bytes(value: Buffer): this {
    this.room(4);
    this.at = this.buffer.writeInt32BE(value.length, this.at);
    return this.raw(value);
  }

  /** Each character is one byte. */
  latin1(value: string): this {
    this.room(4 + value.length);
    this.at = this.buffer.writeInt32BE(value.length, this.at);
    this.at += this.buffer.write(value, this.at, 'latin1');
    return this;
  }

  text(value: string | null): this {
    // A UTF-16 unit is at most three bytes of UTF-8.
    this.room(4 + 3 * (value?.length ?? 0));
    const length = value === null ? -1 : this.buffer.write(value, this.at + 4);
    this.buffer.writeInt32BE(length, this.at);
    this.at += 4 + Math.max(0, length);
    return this;
  }

  /** int64 microseconds since 2000-01-01. */
  timestamp(value: Date): this {
    this.room(12);
    this.at = this.buffer.writeInt32BE(8, this.at);
    // A double is exact to the microsecond until the year 2285, and creates no garbage, unlike a BigInt.
    const micros = (value.getTime() - postgresEpochMs) * 1000;
    const high = Math.floor(micros / 2 ** 32);
    this.at = this.buffer.writeInt32BE(high, this.at);
    this.at = this.buffer.writeUInt32BE(micros - high * 2 ** 32, this.at);
    return this;
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}
