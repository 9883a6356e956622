import { Inject, Injectable } from '@nestjs/common';
import { AdapterError } from '../path/adapters/adapter-answer.js';
import { AdapterClient } from '../path/adapters/adapter-client.js';
import type { CallTarget } from '../manage/apps/call-targets.js';
import { type GatewaySettings, SETTINGS } from '../env.js';
import { SourceError, sourceFailure } from './source-error.js';
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
    const route = '/sources/list-changes';
    const asked = this.adapters.post<Record<string, unknown>>(baseUrl, route, body, context);
    const answer = await asked.catch((error: unknown) => {
      throw finalOf(error, route);
    });
    return this.adapters.reading(baseUrl, () => changePage(answer));
  }

  /** @throws as `listChanges` */
  async fetchFile(target: CallTarget, resourcePath: string, path: string): Promise<FetchedFile> {
    const { baseUrl, credentials, context, manifest } = target;
    const declared = manifest.sources?.max_file_bytes ?? Number.POSITIVE_INFINITY;
    const maxBytes = Math.min(this.settings.SOURCE_MAX_FILE_BYTES, declared);
    const body = { credentials, resource_path: resourcePath, file_path: path };
    const limits = { timeoutMs: this.settings.SOURCE_FETCH_TIMEOUT_MS, maxResponseBytes: encodedBytes(maxBytes) };
    const answer = await this.adapters.fetchFile(baseUrl, body, context, limits).catch((error: unknown) => {
      throw finalOf(error, '/sources/fetch-file');
    });
    return this.adapters.reading(baseUrl, () => fetchedFile(answer, maxBytes));
  }
}

/** What another status than 2xx says for good, as a SourceError; else the error itself. */
function finalOf(error: unknown, route: string): unknown {
  if (!(error instanceof AdapterError)) return error;
  const { refusal, lacksRoute, answer } = error;
  if (refusal?.body?.['ok'] === false) return sourceFailure(refusal.body, route);
  if (!lacksRoute || answer === null) return error;
  const words = answer.words === null ? '' : ` (${answer.words.slice(0, 200)})`;
  const reported = `${route} answered ${answer.status}${words}`;
  // Of a document, a 404 is what HTTP says where it is gone.
  if (answer.status === 404 && route === '/sources/fetch-file') return new SourceError('not_found', reported, true);
  return new SourceError('no_documents', `${reported}: the adapter has no such source of documents`, true);
}
