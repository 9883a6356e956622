import { PageOf, PageQuery, Text } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { DocumentTrust } from './document.entity.js';
import type { ListedEntity } from './entity-directory.repository.js';
import type { FoundEntity, FoundRelation } from './graph.repository.js';

const trusts = ['owner', 'known', 'untrusted'];

export class EntityQuery extends PageQuery {
  @Text(200, { optional: true, minLength: 1, description: 'Part of the name' }) q?: string;
}

export class EntityView implements Omit<ListedEntity, 'name_key'> {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: [String], description: 'What documents say it is' }) kinds: string[];
  @ApiProperty({ type: 'integer', description: 'Number of documents that mention it' }) documents: number;
}

export class EntityPage extends PageOf(EntityView) {}

class MentionOfEntity {
  @ApiProperty({ type: String, nullable: true }) kind: string | null;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty() document_id: string;
  @ApiProperty({ enum: trusts, description: 'untrusted: learnt from untrusted senders' }) trust: DocumentTrust;
}

class RelationView implements FoundRelation {
  @ApiProperty() from: string;
  @ApiProperty() relation: string;
  @ApiProperty() to: string;
  @ApiProperty({ description: 'The document that states it' }) document_id: string;
  @ApiProperty({ enum: trusts }) trust: DocumentTrust;
  @ApiProperty({ type: 'integer', description: 'Steps from the entity' }) distance: number;
}

export class EntityDetail implements FoundEntity {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: [MentionOfEntity], description: 'One entry for each document that mentions it' })
  mentions: MentionOfEntity[];
  @ApiProperty({ type: [RelationView], description: 'Its direct relations, at most 200' }) relations: RelationView[];
}
