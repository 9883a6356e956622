import { until } from '#libs/testing';
import type { ApiDocument } from '../contract/api-document.js';
import { type AnswerCheck, answerCheck } from './answer-check.js';

/** The parts of an event that the tests read. */
export interface EventDetail {
  id: string;
  outcome: string | null;
  reason: string | null;
  timeline: {
    service: string;
    stage: string;
    outcome: string;
    reason: string | null;
    terminal: boolean;
    subject_id: string | null;
    attempt: number;
    duration_ms: number | null;
    detail: Record<string, unknown> | null;
  }[];
  messages: { id: string; message: { message: string; event_type: string; thread_id?: string } }[];
  runs: { id: string; workflow_id: number; state: string; replay: boolean }[];
  turns: { id: string }[];
  incomplete: string | null;
}

export interface InstalledApp {
  id: string;
  webhook_url: string;
  webhook_path: string;
}

interface EventPage {
  data: { id: string; outcome: string | null }[];
  next_cursor: string | null;
}

/** The management API, called as an administrator. */
export interface Api {
  /**
   * @throws Error with the status and the body, unless the status is 2xx; or where the answer does not match its
   *   description
   */
  api<T>(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<T>;
  /** The operationIds of successful calls. */
  succeeded(): ReadonlySet<string>;
  /** @returns the new credential's id */
  credential(fields: Record<string, string>): Promise<string>;
  /** Waits until an event has ended (every event ends once) and, if it was routed, until the engine has taken it. */
  ended(eventId: string): Promise<EventDetail>;
  /** The outcome of each event of an App; null while it is in flight. */
  outcomesOf(appId: string): Promise<Map<string, string | null>>;
  /** Waits until an event's timeline has an entry with that stage and outcome. */
  reached(eventId: string, stage: string, outcome: string): Promise<EventDetail>;
}

/** @param logs the services' logs, for errors whose answer only points to the log */
export function openApi(origin: string, key: string, logs = () => ''): Api {
  let made = 0;
  let described: AnswerCheck | null = null;
  const api = async <T>(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<T> => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    described ??= await describedBy(origin);
    described?.check({ method, path, status: answer.status, type: answer.headers.get('content-type'), text });
    if (!answer.ok) {
      const requestId = answer.headers.get('x-request-id') ?? 'none';
      const lines = answer.status === 500 ? logs().split('\n') : [];
      const logged = lines.filter((line) => line.includes(requestId)).join('\n');
      throw new Error(`${method} ${path} answered ${answer.status}: ${text}\n${logged}`);
    }
    if (text === '') return null as T;
    return (answer.headers.get('content-type')?.startsWith('text/') ? text : JSON.parse(text)) as T;
  };
  const event = (id: string): Promise<EventDetail> => api<EventDetail>('GET', `/api/v1/events/${id}`);
  return {
    api,
    succeeded: () => described?.succeeded ?? new Set(),
    credential: async (fields) => {
      const body = { name: `credential ${(made += 1)}`, type: 'text', fields };
      return (await api<{ id: string }>('POST', '/api/v1/credentials', body)).id;
    },
    ended: (id) =>
      until(`the event ${id} ended`, async () => {
        const detail = await event(id);
        const { outcome, turns, incomplete } = detail;
        const isTaken = outcome !== 'routed' || turns.length > 0 || incomplete !== null;
        return outcome !== null && isTaken ? detail : null;
      }),
    outcomesOf: async (appId) => {
      const outcomes = new Map<string, string | null>();
      for (let cursor: string | null = ''; cursor !== null;) {
        const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page: EventPage = await api('GET', `/api/v1/events?limit=200&app_id=${appId}${after}`);
        for (const { id, outcome } of page.data) outcomes.set(id, outcome);
        cursor = page.next_cursor;
      }
      return outcomes;
    },
    reached: (id, stage, outcome) =>
      until(`the event ${id} reached ${stage} ${outcome}`, async () => {
        const detail = await event(id);
        if (detail.timeline.some((entry) => entry.stage === stage && entry.outcome === outcome)) return detail;
        // Kept for the error, which would name what was awaited and nothing of what happened instead.
        const steps = detail.timeline.map((entry) => [entry.stage, entry.outcome, entry.reason ?? ''].join(' ').trim());
        throw new Error(`it is ${detail.outcome ?? 'in flight'} ${detail.reason ?? ''}: ${steps.join(', ')}`);
      }),
  };
}

/** Null while a service is away, since its part of the document is missing. */
async function describedBy(origin: string): Promise<AnswerCheck | null> {
  const answer = await fetch(`${origin}/api/v1/openapi.json`);
  const document = (await answer.json()) as ApiDocument;
  return document['x-gatehouse-missing'] ? null : answerCheck(document);
}
