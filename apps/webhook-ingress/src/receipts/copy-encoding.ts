import type { Receipt } from './receipt.js';

const statement = Buffer.from(`COPY ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome,
  reason, method, url, headers, body, verified_scheme, remote_address, traceparent) FROM STDIN (FORMAT binary)\0`);
const columns = 14;
const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const postgresEpochMs = Date.UTC(2000, 0, 1);
/** Lengths and the fields of fixed size of one row, with room to spare. */
const rowOverhead = 2 + columns * 4 + 8;

/**
 * The messages that copy receipts: Query, CopyData and CopyDone of the frontend protocol, the data in the binary COPY
 * format (both documented by PostgreSQL, "Message Formats" and "COPY").
 */
export function encodeCopy(receipts: Receipt[]): Buffer {
  const headers = receipts.map((receipt) => JSON.stringify(receipt.headers));
  const message = new Message(receipts.reduce((sum, receipt, index) => sum + mostBytes(receipt, headers[index]!), 256));
  message.start('Q').raw(statement).end();
  message.start('d').raw(signature);
  receipts.forEach((receipt, index) => {
    message.int16(columns);
    message.text(receipt.id).timestamp(receipt.receivedAt).text(receipt.organizationId).text(receipt.projectId);
    message.text(receipt.appId).text(receipt.outcome).text(receipt.reason).text(receipt.method).text(receipt.url);
    message.text(headers[index]!).bytes(receipt.body).text(receipt.verifiedScheme).text(receipt.remoteAddress);
    message.text(receipt.traceparent);
  });
  message.int16(-1).end();
  message.start('c').end();
  return message.buffer;
}

/** An upper bound: a UTF-16 unit is at most three bytes of UTF-8. */
function mostBytes(receipt: Receipt, headers: string): number {
  const { id, organizationId, projectId, appId, outcome, reason, method, url, verifiedScheme } = receipt;
  const texts = [id, organizationId, projectId, appId, outcome, reason, method, url, headers, verifiedScheme];
  texts.push(receipt.remoteAddress, receipt.traceparent);
  return texts.reduce(
    (sum, text) => sum + 3 * (text?.length ?? 0),
    rowOverhead + receipt.body.length + statement.length,
  );
}

class Message {
  private readonly bytesOf: Buffer;
  private at = 0;
  private lengthAt = 0;

  constructor(mostBytes: number) {
    this.bytesOf = Buffer.allocUnsafe(mostBytes);
  }

  get buffer(): Buffer {
    return this.bytesOf.subarray(0, this.at);
  }

  start(type: string): this {
    this.at = this.bytesOf.writeUInt8(type.charCodeAt(0), this.at);
    this.lengthAt = this.at;
    this.at += 4;
    return this;
  }

  /** The length of a message counts itself, and not the type before it. */
  end(): void {
    this.bytesOf.writeInt32BE(this.at - this.lengthAt, this.lengthAt);
  }

  raw(bytes: Buffer): this {
    this.at += bytes.copy(this.bytesOf, this.at);
    return this;
  }

  int16(value: number): this {
    this.at = this.bytesOf.writeInt16BE(value, this.at);
    return this;
  }

  bytes(value: Buffer): this {
    this.at = this.bytesOf.writeInt32BE(value.length, this.at);
    return this.raw(value);
  }

  text(value: string | null): this {
    const length = value === null ? -1 : this.bytesOf.write(value, this.at + 4);
    this.bytesOf.writeInt32BE(length, this.at);
    this.at += 4 + Math.max(0, length);
    return this;
  }

  /** int64 microseconds since 2000-01-01. */
  timestamp(value: Date): this {
    this.at = this.bytesOf.writeInt32BE(8, this.at);
    this.at = this.bytesOf.writeBigInt64BE(BigInt(value.getTime() - postgresEpochMs) * 1000n, this.at);
    return this;
  }
}
