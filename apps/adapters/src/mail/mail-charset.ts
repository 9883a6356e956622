import PostalMime from 'postal-mime';
import { isJsonObject } from '#libs/adapter-sdk';
import { decodeMail } from './decode-mail.js';

const READ = /^(?:text\/(?:plain|html|calendar)|application\/ics)$/;
const collectNode: unknown = Reflect.get(PostalMime.prototype, 'collectNode');

/**
 * postal-mime believes the label of a part. Here a part's bytes decide as well: they are made UTF-8 before they are read.
 * `collectNode` is no part of its public interface: a test fails if it is not called any more.
 */
export class MailParser extends PostalMime {
  async collectNode(node: unknown, ...context: unknown[]): Promise<void> {
    makeUtf8(node);
    if (typeof collectNode === 'function') await Reflect.apply(collectNode, this, [node, ...context]);
  }
}

function makeUtf8(node: unknown): void {
  if (!isFields(node) || !(node['content'] instanceof ArrayBuffer) || !isFields(node['contentType'])) return;
  const { parsed } = node['contentType'];
  if (!isFields(parsed) || !isFields(parsed['params']) || !READ.test(String(parsed['value']))) return;
  const { params } = parsed;
  const disposition = isFields(node['contentDisposition']) ? node['contentDisposition']['parsed'] : undefined;
  const isFile = isFields(disposition) && disposition['value'] === 'attachment';
  if (isFile && String(parsed['value']).startsWith('text/') && parsed['value'] !== 'text/calendar') return;
  const label = typeof params['charset'] === 'string' ? params['charset'] : '';
  const text = decodeMail(Buffer.from(node['content']), label);
  const bytes = new TextEncoder().encode(text);
  node['content'] = bytes.buffer;
  params['charset'] = 'utf-8';
}

function isFields(value: unknown): value is Record<string, unknown> {
  return isJsonObject(value);
}

/** Lines that end with CR alone, as old Macs wrote them, are lines. */
export function withLineFeeds(bytes: Uint8Array): Uint8Array {
  if (bytes.includes(0x0a) || !bytes.includes(0x0d)) return bytes;
  return bytes.map((byte) => (byte === 0x0d ? 0x0a : byte));
}
