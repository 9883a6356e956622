import createClient, { type Middleware } from 'openapi-fetch';
import { connection } from './connection.js';
import { ApiProblem, problemOf } from './problem.js';
import type { paths } from './schema.js';

export type { Schema } from './named-schema.js';

/** Status codes of a gateway that reaches no backend. */
const nobody = [502, 503, 504];

const context: Middleware = {
  onRequest({ request }) {
    const ofOrganization = request.headers.has('x-organization-id');
    for (const [name, value] of Object.entries(contextHeaders(request.method))) {
      // A request to another organization must not carry the open project.
      if (!(ofOrganization && name === 'x-project-id')) request.headers.set(name, value);
    }
  },
  async onResponse({ response }) {
    if (response.ok) return;
    const problem = await problemOf(response);
    if (nobody.includes(response.status) && problem.code.startsWith('http_')) connection.reportLost();
    throw problem;
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return error;
    connection.reportLost();
    return new ApiProblem({ status: 0, code: 'connection_lost', detail: 'Gatehouse does not answer.' });
  },
};

/** The API by its generated types. Every unsuccessful answer is thrown as an `ApiProblem`. */
export const api = createClient<paths>({ baseUrl: window.location.origin });
api.use(context);

interface Answered<Data> {
  data?: Data;
  response: Response;
}

/** The body of a successful answer: `await answer(api.GET('/api/v1/events'))`. */
export async function answer<Data>(asked: Promise<Answered<Data>>): Promise<Data> {
  const { data } = await asked;
  return data as Data;
}

/** What was read, and the value of `If-Match` for a change to it. */
export interface Tagged<Data> {
  data: Data;
  etag: string | null;
}

export async function answerWithEtag<Data>(asked: Promise<Answered<Data>>): Promise<Tagged<Data>> {
  const { data, response } = await asked;
  return { data: data as Data, etag: response.headers.get('etag') };
}

/** The headers of every request: who asks and in which project. The session and the project's route set them. */
export const requestContext: { projectId: string | null; csrfToken: string | null } = {
  projectId: null,
  csrfToken: null,
};

const safe = ['GET', 'HEAD', 'OPTIONS'];

/** @param method of the request */
export function contextHeaders(method: string): Record<string, string> {
  const { projectId, csrfToken } = requestContext;
  return {
    ...(projectId ? { 'x-project-id': projectId } : {}),
    ...(csrfToken && !safe.includes(method) ? { 'x-csrf-token': csrfToken } : {}),
  };
}

/** Saves an answer of the API as a file. A plain link could not name the project. @throws ApiProblem */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: contextHeaders('GET') });
  if (!response.ok) throw await problemOf(response);
  saveFile(name, await response.blob());
}

/** Has the browser save the content as a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
