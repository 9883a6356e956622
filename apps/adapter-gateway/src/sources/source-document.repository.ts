import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { SourceDocumentRow } from './source-document.entity.js';

export interface DocumentFilter {
  state: string | null;
  prefix: string | null;
  cursor: string | null;
  limit: number;
}

@Injectable()
export class SourceDocumentRepository {
  constructor(@InjectRepository(SourceDocumentRow) private readonly rows: Repository<SourceDocumentRow>) {}

  /** By path, without the bytes. */
  list(sourceId: string, filter: DocumentFilter): Promise<SourceDocumentRow[]> {
    const query = this.rows
      .createQueryBuilder('document')
      .where('document.source_id = :sourceId', { sourceId })
      .orderBy('document.path')
      .limit(filter.limit);
    if (filter.state) query.andWhere('document.state = :state', { state: filter.state });
    if (filter.prefix) query.andWhere('starts_with(document.path, :prefix)', { prefix: filter.prefix });
    if (filter.cursor) query.andWhere('document.path > :cursor', { cursor: filter.cursor });
    return query.getMany();
  }

  find(sourceId: string, id: string): Promise<SourceDocumentRow | null> {
    return this.rows.findOneBy({ source_id: sourceId, id });
  }

  findWithContent(sourceId: string, id: string): Promise<SourceDocumentRow | null> {
    return this.rows
      .createQueryBuilder('document')
      .addSelect('document.content')
      .where('document.source_id = :sourceId AND document.id = :id', { sourceId, id })
      .getOne();
  }
}
