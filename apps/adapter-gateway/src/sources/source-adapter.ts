import { Inject, Injectable } from '@nestjs/common';
import { AdapterClient } from '../path/adapters/adapter-client.js';
import type { CallTarget } from '../manage/apps/call-targets.js';
import type { GatewaySettings } from '../env.js';
import { SETTINGS } from '../tokens.js';
import { type ChangePage, changePage } from './change-page.js';
import { type FetchedFile, fetchedFile } from './fetched-file.js';

/** Room for base64 and the JSON around it. */
const encodedBytes = (bytes: number): number => Math.ceil((bytes * 4) / 3) + 65_536;

/** The source routes of an adapter (spec 4.1). */
@Injectable()
export class SourceAdapter {
  constructor(
    private readonly adapters: AdapterClient,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  /** @throws SourceError; AdapterError; RunLater while the adapter is busy, or its circuit open */
  async listChanges(target: CallTarget, resourcePath: string, cursor: string | null): Promise<ChangePage> {
    const { baseUrl, credentials, context } = target;
    const body = { credentials, resource_path: resourcePath, cursor };
    const answer = await this.adapters.post<Record<string, unknown>>(baseUrl, '/sources/list-changes', body, context);
    return this.adapters.reading(baseUrl, () => changePage(answer));
  }

  /** @throws as `listChanges` */
  async fetchFile(target: CallTarget, resourcePath: string, path: string): Promise<FetchedFile> {
    const { baseUrl, credentials, context, manifest } = target;
    const declared = manifest.sources?.max_file_bytes ?? Number.POSITIVE_INFINITY;
    const maxBytes = Math.min(this.settings.SOURCE_MAX_FILE_BYTES, declared);
    const body = { credentials, resource_path: resourcePath, file_path: path };
    const limits = { timeoutMs: this.settings.SOURCE_FETCH_TIMEOUT_MS, maxResponseBytes: encodedBytes(maxBytes) };
    const answer = await this.adapters.fetchFile(baseUrl, body, context, limits);
    return this.adapters.reading(baseUrl, () => fetchedFile(answer, maxBytes));
  }
}
