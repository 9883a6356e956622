import { type DocumentAccess, type DocumentAudience, documentAudiences, mostReaders, readersOf } from '#libs/contracts';
import {
  idOf,
  JsonObject,
  Name,
  NestedList,
  OneOf,
  OrderedQuery,
  Problem,
  Text,
  TextList,
  Whole,
} from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import type { DocumentHead } from './document.repository.js';
import type { FoundChunk } from './document-search.repository.js';
import { languages } from './language-of.js';

const audienceNote =
  'known: for turns of admitted contacts and of your own callers; everyone: for turns of unknown senders too; listed: ' +
  'for contacts alone who read as one of `readers`';
const readersNote = 'Of the audience listed: addresses of people, and group:<name>. None: no contact';
const Readers = () => TextList(mostReaders, 200, { optional: true, description: readersNote });

class StatedEntity {
  @Name(200) name: string;
  @Text(60, { optional: true }) kind?: string;
  @Text(1_000, { optional: true }) description?: string;
}

class StatedRelation {
  @Name(200) from: string;
  @Text(60, { minLength: 1 }) relation: string;
  @Name(200) to: string;
}

export class UploadDocument {
  @Name(300) title: string;
  @Text(10_000_000, { description: 'Plain text or Markdown, up to DOCUMENT_MAX_CHARS' }) text: string;
  @Text(2_000, { optional: true, description: 'Where it comes from; shown to people' }) uri?: string;
  @OneOf(languages, {
    optional: true,
    description: 'By which its words are stemmed for search. Absent: recognised, part by part',
  })
  language?: string;
  @OneOf(documentAudiences, { optional: true, description: audienceNote }) audience?: DocumentAudience;
  @Readers() readers?: string[];
  @JsonObject({ optional: true, description: 'Facts shown to people, stored unchanged' }) provenance?: Record<
    string,
    unknown
  >;
  @NestedList(StatedEntity, 1_000, { optional: true }) entities?: StatedEntity[];
  @NestedList(StatedRelation, 2_000, { optional: true }) relations?: StatedRelation[];
}

export class SetAccess {
  @OneOf(documentAudiences, { description: audienceNote }) audience: DocumentAudience;
  @Readers() readers?: string[];
}

/** @throws Problem 422 for a list that is none, or that its audience would ignore */
export function accessIn({
  audience,
  readers = [],
}: {
  audience: DocumentAudience;
  readers?: string[];
}): DocumentAccess {
  const read = readersOf(readers);
  const wrong = typeof read === 'string' ? read : audience !== 'listed' && read.length > 0 ? unlisted : null;
  if (typeof read !== 'string' && wrong === null) return { audience, readers: read };
  const errors = [{ field: 'readers', message: wrong ?? '' }];
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
}

const unlisted = 'has readers, which only the audience listed has';

export class SearchQuery {
  @Text(400, { minLength: 1 }) q: string;
  @Type(() => Number) @Whole(1, 50, { optional: true }) limit: number = 10;
}

export class DocumentQuery extends OrderedQuery {}

export class DocumentView implements Omit<DocumentHead, 'created_at'> {
  @ApiProperty(idOf('doc')) id: string;
  @ApiProperty() title: string;
  @ApiProperty({
    enum: ['upload', 'turn', 'sync'],
    description: 'sync: from a document source, which keeps it up to date',
  })
  source: DocumentHead['source'];
  @ApiProperty({ type: String, nullable: true }) uri: string | null;
  @ApiProperty({ enum: ['owner', 'known', 'untrusted'], description: 'untrusted: learnt from untrusted senders' })
  trust: DocumentHead['trust'];
  @ApiProperty({ enum: documentAudiences, description: audienceNote }) audience: DocumentHead['audience'];
  @ApiProperty({ type: [String], description: 'Of the audience listed' }) readers: string[];
  @ApiProperty({ type: 'object', additionalProperties: true }) provenance: Record<string, unknown>;
  @ApiProperty({ type: 'integer', description: 'Length of its text' }) chars: number;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description:
      'Whether it is found by meaning; false: it waits for its vectors, and `failure` of /knowledge/meaning says why, if there is a reason; null: no model is chosen',
  })
  by_meaning: boolean | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class DocumentWithText extends DocumentView {
  @ApiProperty() text: string;
}

export class DocumentPage {
  @ApiProperty({ type: [DocumentView] }) data: DocumentView[];
  @ApiProperty({ type: String, nullable: true }) next_cursor: string | null;
}

export class FoundChunkView implements FoundChunk {
  @ApiProperty(idOf('doc')) document_id: string;
  @ApiProperty() title: string;
  @ApiProperty() excerpt: string;
  @ApiProperty({ type: 'integer' }) offset: number;
  @ApiProperty({ enum: ['owner', 'known', 'untrusted'] }) trust: FoundChunk['trust'];
  @ApiProperty() source: string;
}

export class FoundChunks {
  @ApiProperty({ type: [FoundChunkView] }) data: FoundChunkView[];
  @ApiProperty({ type: String, nullable: true, description: 'What the search could not do, as a sentence' })
  note: string | null;
}

export function documentView({
  id,
  title,
  source,
  uri,
  trust,
  audience,
  readers,
  provenance,
  chars,
  by_meaning,
  created_at,
}: DocumentHead): DocumentView {
  return {
    id,
    title,
    source,
    uri,
    trust,
    audience,
    readers,
    provenance,
    chars,
    by_meaning,
    created_at: created_at.toISOString(),
  };
}
