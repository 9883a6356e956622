import {
  Caller,
  Flag,
  JsonObject,
  notFound,
  OneOf,
  type Principal,
  RequireScopes,
  Text,
  TextList,
  Whole,
} from '#libs/service-kit';
import { type DocumentAudience, documentAudiences, mostReaders } from '#libs/contracts';
import { sanitize } from '#libs/sanitizer';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DocumentReader } from '../documents/document-reader.service.js';
import { SyncedDocumentRepository, type SyncedVersion, type TakenVersion } from './synced-document.repository.js';

const titleChars = 300;

class TakeVersion {
  @Whole(1, 2_147_483_647) revision: number;
  @Flag() removed: boolean;
  @Text(2_000) path: string;
  @Text(200, { optional: true }) content_type?: string;
  @Text(200_000_000, { optional: true, description: 'Absent when it was removed' }) content_base64?: string;
  @OneOf(['owner', 'untrusted']) trust: 'owner' | 'untrusted';
  @OneOf(documentAudiences) audience: DocumentAudience;
  @TextList(mostReaders, 200, { optional: true, description: 'Absent from gateways of older releases' })
  readers?: string[];
  @JsonObject() provenance: Record<string, unknown>;
}

/** For the gateway: the documents of its sources, version by version. */
@ApiExcludeController()
@Controller('internal/synced-documents')
export class SyncedDocumentController {
  constructor(
    private readonly documents: SyncedDocumentRepository,
    private readonly reader: DocumentReader,
  ) {}

  @Put(':id')
  @RequireScopes('service')
  async take(@Caller() caller: Principal, @Param('id') id: string, @Body() body: TakeVersion): Promise<TakenVersion> {
    const taken = await this.documents.take(caller, await this.versionOf(id, body));
    if (!taken) throw notFound('synced_document', id);
    return taken;
  }

  private async versionOf(id: string, body: TakeVersion): Promise<SyncedVersion> {
    const { revision, removed, path, trust, audience, readers = [] } = body;
    if (removed) return { id, revision, outcome: 'removed', document: null };
    const bytes = Buffer.from(body.content_base64 ?? '', 'base64');
    const read = await this.reader.read(bytes, body.content_type ?? '', path);
    if ('refused' in read) return { id, revision, outcome: read.refused, document: null };
    const title = titleOf(path);
    const provenance = read.note === null ? body.provenance : { ...body.provenance, note: read.note };
    const document = {
      title,
      content: read.text,
      source: 'sync' as const,
      uri: null,
      trust,
      audience,
      readers,
      provenance,
    };
    return { id, revision, outcome: 'kept', document };
  }
}

/** The end of a long path says more than its beginning. */
function titleOf(path: string): string {
  const { text } = sanitize(path, { maxChars: path.length + 64, maxLines: Number.MAX_SAFE_INTEGER });
  const line = text.replace(/\s+/g, ' ').trim() || 'document';
  return line.length <= titleChars ? line : `…${line.slice(1 - titleChars).toWellFormed()}`;
}
