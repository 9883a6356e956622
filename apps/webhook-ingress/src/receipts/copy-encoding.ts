import type { Receipt } from './receipt.js';

const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const trailer = Buffer.from([0xff, 0xff]);
const postgresEpochMs = Date.UTC(2000, 0, 1);

export const copyReceipts = `COPY ingress.receipt (id, received_at, organization_id, project_id, app_id, outcome,
  reason, method, url, headers, body, verified_scheme, remote_address, traceparent) FROM STDIN (FORMAT binary)`;

const columns = 14;

/** Receipts in PostgreSQL's binary COPY format (documented with COPY, "Binary Format"), for `copyReceipts`. */
export function encodeReceipts(receipts: Receipt[]): Buffer {
  const chunks: Buffer[] = [signature];
  for (const receipt of receipts) {
    const count = Buffer.allocUnsafe(2);
    count.writeInt16BE(columns);
    chunks.push(count);
    text(chunks, receipt.id);
    timestamp(chunks, receipt.receivedAt);
    text(chunks, receipt.organizationId);
    text(chunks, receipt.projectId);
    text(chunks, receipt.appId);
    text(chunks, receipt.outcome);
    text(chunks, receipt.reason);
    text(chunks, receipt.method);
    text(chunks, receipt.url);
    text(chunks, JSON.stringify(receipt.headers));
    bytes(chunks, receipt.body);
    text(chunks, receipt.verifiedScheme);
    text(chunks, receipt.remoteAddress);
    text(chunks, receipt.traceparent);
  }
  chunks.push(trailer);
  return Buffer.concat(chunks);
}

function bytes(chunks: Buffer[], value: Buffer): void {
  const length = Buffer.allocUnsafe(4);
  length.writeInt32BE(value.length);
  chunks.push(length, value);
}

function text(chunks: Buffer[], value: string | null): void {
  if (value === null) {
    chunks.push(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    return;
  }
  const length = Buffer.byteLength(value);
  const field = Buffer.allocUnsafe(4 + length);
  field.writeInt32BE(length);
  field.write(value, 4);
  chunks.push(field);
}

/** int64 microseconds since 2000-01-01. */
function timestamp(chunks: Buffer[], value: Date): void {
  const field = Buffer.allocUnsafe(12);
  field.writeInt32BE(8);
  field.writeBigInt64BE(BigInt(value.getTime() - postgresEpochMs) * 1000n, 4);
  chunks.push(field);
}
