import { columnsOf, newId, type NormalizedMessage, type TerminalOutcome } from '#libs/contracts';
import { Journal, type JournalEntry } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { caller, type RouterWorld } from './router-world.js';

export interface JournaledEvents {
  /** A receipt that ended in an outcome unless that is null; with a stored message where one is given. */
  event(facts: {
    appId?: string;
    receivedAtMs?: number;
    outcome?: TerminalOutcome | null;
    message?: Partial<NormalizedMessage>;
    owner?: { organization_id: string; project_id: string };
  }): Promise<string>;
  append(entry: Partial<JournalEntry> & Pick<JournalEntry, 'stage' | 'outcome' | 'receipt_id'>): Promise<void>;
}

const home = columnsOf(caller);

/** Writes what the other services would have written. */
export function journaledEvents(world: RouterWorld, router: NestFastifyApplication): JournaledEvents {
  const journal = router.get(Journal, { strict: false });
  const append: JournaledEvents['append'] = (entry) => journal.appendNow({ ...home, app_id: 'app_1', ...entry });
  return {
    append,
    event: async ({ appId = 'app_1', receivedAtMs, outcome = 'routed', message, owner = home }) => {
      const atMs = receivedAtMs ?? Date.now();
      const receipt_id = receivedAtMs === undefined ? newId('evt') : idOf('evt', receivedAtMs);
      const common = { receipt_id, app_id: appId, ...owner };
      await append({ ...common, stage: 'received', outcome: 'accepted', at: new Date(atMs) });
      if (message) {
        const whole = { event_type: 'message_received', sender: 'ada', message: 'hello', is_bot: false, ...message };
        await world.pool.query(
          `INSERT INTO router.message (id, organization_id, project_id, app_id, receipt_id, verified, message, outcome,
             verdicts, unlisted_verdicts, app_kind, created_at)
           VALUES ($1, $2, $3, $4, $5, true, $6, $7, '[]', 0, 'builtin', $8)`,
          [
            idOf('msg', atMs),
            owner.organization_id,
            owner.project_id,
            appId,
            receipt_id,
            whole,
            outcome ?? 'routed',
            new Date(atMs),
          ],
        );
      }
      if (outcome) await append({ ...common, stage: 'routed', outcome, at: new Date(atMs + 1) });
      return receipt_id;
    },
  };
}

/** An id as made at some time; `newId` never goes back. */
function idOf(kind: 'evt' | 'msg', ms: number): string {
  return `${kind}_${ms.toString(16).padStart(12, '0')}${newId(kind).slice(kind.length + 13)}`;
}

export interface Neighbour {
  url: string;
  /** Paths that were requested with POST. */
  asked: string[];
  /** The bodies of those requests. */
  bodies: Record<string, unknown>[];
  /** Answers the next requests with this status. */
  answers(status: number, body?: object): void;
  close(): Promise<void>;
}

/** The ingress or the gateway, from the router's point of view. */
export async function neighbour(): Promise<Neighbour> {
  const asked: string[] = [];
  const bodies: Record<string, unknown>[] = [];
  let status = 202;
  let answer: object = {};
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      asked.push(request.url ?? '');
      bodies.push(body as Record<string, unknown>);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(status < 300 ? answer : { code: 'event_not_found', detail: 'gone' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    bodies,
    answers: (next, body = {}) => {
      status = next;
      answer = body;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
