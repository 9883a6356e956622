import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type EngineSettings, SETTINGS } from '../settings.js';
import { cleanText, documentText, type ReadDocument } from './document-text.js';
import { DocumentProcess } from './document-process.js';

/** PDF may begin after some other bytes; Office files are ZIP archives. */
const headBytes = 1_024;
const zip = Buffer.from([0x50, 0x4b, 0x03, 0x04]);

/** The text of documents of any kind, for knowledge and for models. */
@Injectable()
export class DocumentReader implements OnModuleDestroy {
  private readonly processes: DocumentProcess;

  constructor(@Inject(SETTINGS) private readonly settings: EngineSettings) {
    this.processes = new DocumentProcess({
      atOnce: settings.DOCUMENT_READERS,
      timeoutMs: settings.DOCUMENT_READ_MS,
      memoryMb: settings.DOCUMENT_READ_MEMORY_MB,
    });
  }

  /**
   * PDF, Word, Excel and PowerPoint are read in a process of its own, with the numbers of pages and slides; text and HTML
   * here. What it says is sanitised. The bytes decide what it is.
   */
  async read(bytes: Buffer, contentType: string, path: string): Promise<ReadDocument> {
    const {
      DOCUMENT_MAX_CHARS: maxChars,
      DOCUMENT_READ_PAGES: maxPages,
      DOCUMENT_READ_BYTES: maxBytes,
    } = this.settings;
    const head = bytes.subarray(0, headBytes);
    if (!head.includes('%PDF-') && !head.subarray(0, zip.length).equals(zip))
      return documentText(bytes, contentType, path, maxChars);
    const read = await this.processes.read(bytes, { maxChars, maxPages, maxBytes });
    return 'refused' in read ? read : cleanText(read.text, 'text', maxChars, null);
  }

  onModuleDestroy(): void {
    this.processes.end();
  }
}
