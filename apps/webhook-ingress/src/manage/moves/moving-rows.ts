import type { Endpoint, ProjectScope } from '#libs/contracts';
import type { RowPassage, RowsPage } from '#libs/project-rows';
import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../path/receipts/receipt-job.js';
import { packedRequest, unpackedRequest } from '../../path/receipts/receipt.repository.js';

/** What an erased request has for a URL. */
const erasedUrl = '/';

/** Rows of which each installation has its own: URLs of requests, which signatures may cover, and versions of endpoints. */
@Injectable()
export class MovingRows implements RowPassage {
  constructor(private readonly at: PublicAddress) {}

  async leave(_scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    if (table !== 'ingress.receipt') return page;
    const [url, body, packed] = ['url', 'body', 'packed_bytes'].map((name) => page.columns.indexOf(name)) as [
      number,
      number,
      number,
    ];
    const rows = page.rows.map(async (row) => {
      const path = row[url] ?? '';
      if (row[packed] === null) return path === erasedUrl ? row : row.with(url, this.at.whole(path));
      const request = unpackedRequest(bytesOf(row[body] ?? ''));
      return row.with(body, textOf(await packedRequest({ ...request, url: this.at.whole(request.url) })));
    });
    return { columns: page.columns, rows: await Promise.all(rows) };
  }

  /** Versions of endpoints are counted by each installation: whatever the gateway here says is newer. */
  async arrive(_scope: ProjectScope, table: string, page: RowsPage): Promise<RowsPage> {
    if (table !== 'ingress.endpoint') return page;
    const [version, definition] = [page.columns.indexOf('version'), page.columns.indexOf('definition')];
    const rows = page.rows.map((row) => {
      const endpoint: Endpoint = { ...(JSON.parse(row[definition] ?? '{}') as Endpoint), version: 0 };
      return row.with(version, '0').with(definition, JSON.stringify(endpoint));
    });
    return { columns: page.columns, rows };
  }
}

/** Bytes as Postgres writes them. */
const bytesOf = (text: string): Buffer => Buffer.from(text.slice('\\x'.length), 'hex');
const textOf = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
