import { Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { upstreams, type UpstreamUrls } from '../proxy/route-table.js';
import { SETTINGS } from '../settings.js';
import type { ApiDocument } from './merge-documents.js';
import { wholeDocument } from './whole-document.js';

const keepMs = 30_000;
const timeoutMs = 3_000;

/** One OpenAPI 3.1 document for the whole API, merged from those of the services. */
@Injectable()
export class ApiDescription {
  private readonly logger = new Logger('openapi');
  private kept: { text: Promise<Buffer>; untilMs: number } | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SETTINGS) private readonly urls: UpstreamUrls,
  ) {}

  /**
   * JSON, cached for 30 s as text: anybody may ask for it, and to serialize it takes milliseconds. Services that do not
   * answer are named in `x-gatehouse-missing`.
   */
  read(): Promise<Buffer> {
    if (!this.kept || this.kept.untilMs <= Date.now()) {
      const text = this.build().then((document) => Buffer.from(JSON.stringify(document)));
      this.kept = { text, untilMs: Date.now() + keepMs };
    }
    return this.kept.text;
  }

  private async build(): Promise<object> {
    const documents = new Map<string, ApiDocument>();
    const missing: string[] = [];
    const fetched = await Promise.all(
      upstreams.map(async ({ audience, urlSetting }) => ({
        audience,
        document: await this.fetched(this.urls[urlSetting]),
      })),
    );
    documents.set('portal', await this.own());
    for (const { audience, document } of fetched) {
      if (document) documents.set(audience, document);
      else missing.push(audience);
    }
    return wholeDocument(documents, missing);
  }

  private async own(): Promise<ApiDocument> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    return (await fastify.inject('/openapi.json')).json<ApiDocument>();
  }

  private async fetched(url: string): Promise<ApiDocument | null> {
    try {
      const answer = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(timeoutMs) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return (await answer.json()) as ApiDocument;
    } catch (error) {
      this.logger.warn({ event: 'openapi.missing', url, error: String(error) });
      return null;
    }
  }
}
