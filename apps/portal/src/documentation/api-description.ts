import { Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { hash } from 'node:crypto';
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
  /** What the last text was made of. */
  private made: { from: string; text: Buffer } | null = null;

  constructor(
    private readonly host: HttpAdapterHost,
    @Inject(SETTINGS) private readonly urls: UpstreamUrls,
  ) {}

  /**
   * JSON, cached as text: anybody may ask for it, and to merge and serialize it holds everybody up for a tenth of a
   * second. So the services are asked every 30 s, and it is made again where one of them answers differently. Services
   * that do not answer are named in `x-gatehouse-missing`.
   */
  read(): Promise<Buffer> {
    if (!this.kept || this.kept.untilMs <= Date.now()) {
      this.kept = { text: this.build(), untilMs: Date.now() + keepMs };
    }
    return this.kept.text;
  }

  private async build(): Promise<Buffer> {
    const own = { audience: 'portal', text: await this.own() };
    const others = upstreams.map(async ({ audience, urlSetting }) => ({
      audience,
      text: await this.fetched(this.urls[urlSetting]),
    }));
    const texts = [own, ...(await Promise.all(others))];
    const from = JSON.stringify(texts.map(({ text }) => text && hash('sha256', text)));
    if (this.made?.from === from) return this.made.text;
    const documents = new Map<string, ApiDocument>();
    const missing: string[] = [];
    for (const { audience, text } of texts) {
      if (text === null) missing.push(audience);
      else documents.set(audience, JSON.parse(text) as ApiDocument);
    }
    const text = Buffer.from(JSON.stringify(wholeDocument(documents, missing)));
    this.made = { from, text };
    return text;
  }

  private async own(): Promise<string> {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    return (await fastify.inject('/openapi.json')).payload;
  }

  private async fetched(url: string): Promise<string | null> {
    try {
      const answer = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(timeoutMs) });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const text = await answer.text();
      JSON.parse(text);
      return text;
    } catch (error) {
      this.logger.warn({ event: 'openapi.missing', url, error: String(error) });
      return null;
    }
  }
}
