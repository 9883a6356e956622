import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import type { GatewayWorld } from './gateway-world.js';
import { httpServer, sendJson, type TestServer } from './http-server.js';

/** A version of a document as the engine is offered it. */
export interface Offer {
  id: string;
  project: string;
  revision: number;
  removed: boolean;
  path: string;
  text: string | null;
  trust: string;
  audience: string;
  readers: string[];
  provenance: Record<string, unknown>;
}

/** An engine that keeps each document that it is offered. */
export class FakeKnowledge {
  offers: Offer[] = [];
  /** Answers instead of the engine, where it returns true. */
  instead: (version: Offer, response: ServerResponse) => boolean = () => false;

  private constructor(private readonly server: TestServer) {}

  static async start(): Promise<FakeKnowledge> {
    const server = await httpServer((path, body, response, request) => {
      const { content_base64: content, ...version } = JSON.parse(body);
      const offer: Offer = {
        ...version,
        id: path.replace('/internal/synced-documents/', ''),
        project: projectOf(request.headers.authorization ?? ''),
        text: content === undefined ? null : Buffer.from(content, 'base64').toString(),
      };
      engine.offers.push(offer);
      if (!engine.instead(offer, response)) sendJson(response, { outcome: offer.removed ? 'removed' : 'kept' });
    });
    const engine = new FakeKnowledge(server);
    return engine;
  }

  get url(): string {
    return this.server.url;
  }

  reset(): void {
    this.offers = [];
    this.instead = () => false;
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

/** Waits until the engine knows of every version of every document. */
export const allOffered = (world: GatewayWorld) =>
  until('the engine knows everything', async () => {
    const { rows } = await world.pool.query('SELECT 1 FROM gateway.source_document WHERE offer_at IS NOT NULL');
    return rows.length === 0;
  });

function projectOf(authorization: string): string {
  const [, payload = ''] = authorization.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()).prj;
}
