import { attachedFiles, type MessageAttachment } from '#libs/adapter-sdk';
import { imageTypeOf } from '#libs/contracts';
import { bySetting, limitReached, networkOf, Problem } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { AddressRate } from './address-rate.js';
import type { GivenFile } from './web-chat.dto.js';
import type { WebChatFileHead } from './web-chat.entity.js';
import { WebChatFileRepository } from './web-chat-file.repository.js';
import type { Conversing } from './web-chat.repository.js';

/** What a page may send: it says so before a visitor has waited for nothing. */
export interface FileLimits {
  count: number;
  bytes: number;
  types: string[];
}

/** Takes files of visitors, and gives the files of a conversation to its visitor's pages. */
@Injectable()
export class WebChatFiles {
  readonly limits: FileLimits;
  private readonly sent = new AddressRate();
  private readonly read = new AddressRate();

  constructor(
    private readonly files: WebChatFileRepository,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {
    this.limits = {
      count: settings.WEB_CHAT_FILES_PER_MESSAGE,
      bytes: settings.WEB_CHAT_FILE_BYTES,
      types: settings.WEB_CHAT_FILE_TYPES,
    };
  }

  /**
   * Stores a file that the visitor's next message may name. The same id again changes nothing.
   * @throws Problem 422 `file_type_refused | file_too_large | invalid_request`, 429
   */
  async take(of: Conversing, { id, name, content_type, content_base64 }: GivenFile, address: string): Promise<void> {
    const { WEB_CHAT_RATE_PER_ADDRESS: perAddress, WEB_CHAT_FILE_BYTES: most, WEB_CHAT_FILE_TYPES } = this.settings;
    if (this.settings.WEB_CHAT_FILES_PER_MESSAGE === 0) {
      throw new Problem(422, 'too_many_files', 'Visitors send no files here (WEB_CHAT_FILES_PER_MESSAGE).');
    }
    requireRoom(this.sent, 'WEB_CHAT_RATE_PER_ADDRESS', address, perAddress);
    if ((await this.files.sent(of, [id])).length > 0) return;
    const given: MessageAttachment = { name, content_type, content_base64 };
    const read = attachedFiles({ message: { text: '', attachments: [given] } });
    if (!Array.isArray(read)) throw new Problem(422, 'invalid_request', 'content_base64 must be base64.');
    const [file] = read;
    if (!file || file.bytes.length === 0) throw new Problem(422, 'invalid_request', 'The file is empty.');
    if (file.bytes.length > most) {
      throw new Problem(422, 'file_too_large', `A file may have ${most} bytes (WEB_CHAT_FILE_BYTES).`);
    }
    const contentType = imageTypeOf(file.bytes) ?? file.contentType.toLowerCase();
    const isFalse = imageTypeOf(file.bytes) === null && /^image\/(?:png|jpeg|gif|webp)$/.test(contentType);
    if (isFalse || !WEB_CHAT_FILE_TYPES.includes(contentType)) {
      const kinds = WEB_CHAT_FILE_TYPES.join(', ');
      throw new Problem(422, 'file_type_refused', `Files of these kinds are taken (WEB_CHAT_FILE_TYPES): ${kinds}.`);
    }
    await this.requireStore(of, file.bytes.length);
    await this.files.keep(of, 'visitor', id, { ...file, contentType });
  }

  /** @returns the files of a message. @throws Problem 422 `file_not_found | too_many_files` */
  async named(of: Conversing, ids: string[]): Promise<WebChatFileHead[]> {
    const { WEB_CHAT_FILES_PER_MESSAGE: most } = this.settings;
    if (ids.length === 0) return [];
    if (ids.length > most) {
      throw new Problem(422, 'too_many_files', `A message may have ${most} files (WEB_CHAT_FILES_PER_MESSAGE).`);
    }
    const found = await this.files.sent(of, ids);
    if (found.length === new Set(ids).size) return found;
    throw new Problem(422, 'file_not_found', 'The visitor has not sent one of these files, or it is no longer kept.');
  }

  /** @throws Problem 404 `file_not_found`, 429 */
  async contentFor(of: Conversing, id: string, address: string): Promise<Buffer> {
    requireRoom(this.read, 'WEB_CHAT_FILE_READS_PER_ADDRESS', address, this.settings.WEB_CHAT_FILE_READS_PER_ADDRESS);
    const file = await this.files.content(of, id);
    if (file) return file.content;
    throw new Problem(404, 'file_not_found', 'This conversation has no such file, or it is no longer kept.');
  }

  /** @param ref of an attachment: the visitor, a slash, and the id of a file */
  attachment(appId: string, ref: string): Promise<{ content: Buffer; content_type: string } | null> {
    const at = ref.lastIndexOf('/');
    return this.files.content({ appId, visitor: ref.slice(0, at) }, ref.slice(at + 1));
  }

  private async requireStore(of: Conversing, bytes: number): Promise<void> {
    const { WEB_CHAT_FILES_PER_HOUR: perHour, WEB_CHAT_FILE_BYTES_PER_DAY: perDay } = this.settings;
    const { ofVisitor, bytesOfApp } = await this.files.takenLately(of);
    const refuse = (name: string, of: 'token' | 'project', value: number, window_seconds: number): void => {
      const limit = { name, of, value, window_seconds, raise: bySetting(name, 'adapter-gateway') };
      throw limitReached('too_many_files', 'Too many files', limit, 600);
    };
    if (ofVisitor >= perHour) refuse('WEB_CHAT_FILES_PER_HOUR', 'token', perHour, 3_600);
    if (bytesOfApp + bytes > perDay) refuse('WEB_CHAT_FILE_BYTES_PER_DAY', 'project', perDay, 86_400);
  }
}

function requireRoom(rate: AddressRate, name: string, address: string, value: number): void {
  const waitMs = rate.waitOf(networkOf(address), value);
  if (waitMs === 0) return;
  const limit = { name, of: 'address' as const, value, window_seconds: 60, raise: bySetting(name, 'adapter-gateway') };
  throw limitReached('too_many_files', 'Too many files', limit, waitMs / 1_000);
}
