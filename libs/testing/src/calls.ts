import { newId } from '#libs/contracts';
import { type Audience, type Principal, ServiceTokens } from '#libs/service-kit';
import type { Answer, RouteTable, ViewOf } from './answer.js';
import { ask } from './ask.js';
import { testServiceKey } from './service-key.js';

/** Where callers are, unless a test says otherwise. */
export const home = { organizationId: newId('org'), projectId: newId('prj') };

/** How a caller differs from the usual one, and the headers of its request. */
export type As = Partial<Principal> & { headers?: Record<string, string> };

interface Received<Body> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export type AnswerOf<Route extends string, Views extends RouteTable> = Answer<ViewOf<Route, Views>> & Received<unknown>;

export interface Call<Views extends RouteTable> {
  <Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: object,
    as?: As,
  ): Promise<AnswerOf<`${Method} ${Path}`, Views>>;
  /** For a route that has no view: the test says what it reads. */
  <Body>(method: string, path: string, body?: object, as?: As): Promise<Received<Body>>;
}

/** Calls of a service over HTTP, typed by its views. */
export interface Calls<Views extends RouteTable, InternalViews extends RouteTable> {
  /** As a person of the project; `apps` is `/api/v1/apps`. */
  call: Call<Views>;
  /** As another service; `attention` is `/internal/attention`. */
  internal: Call<InternalViews>;
  /** The token with which `call` calls. */
  token(as?: As): Promise<string>;
}

export interface Callers {
  /** Who uses `call`: how it differs from a key with the scope `admin`. */
  caller?: Partial<Principal> | undefined;
  /** The service that calls `internal`. */
  neighbor?: string | undefined;
}

/** @param urlOf the address of the service */
export function callsOf<Views extends RouteTable, InternalViews extends RouteTable>(
  audience: Audience,
  urlOf: () => string,
  { caller = {}, neighbor = 'test' }: Callers = {},
): Calls<Views, InternalViews> {
  const mint = (principal: Principal): Promise<string> => {
    const [kind, name = ''] = principal.subject.split(':');
    // A new token each time: some routes take one only once.
    return new ServiceTokens(testServiceKey, kind === 'service' ? name : 'portal').mint(audience, principal);
  };
  const person: Principal = { ...home, subject: 'key:test', scopes: ['admin'], ...caller };
  const service: Principal = { ...home, subject: `service:${neighbor}`, scopes: ['service'] };
  const callAs =
    (usual: Principal, root: string) =>
    async (method: string, path: string, body?: object, { headers, ...as }: As = {}) =>
      ask<never>({ method, url: `${urlOf()}/${root}/${path}`, token: await mint({ ...usual, ...as }), body, headers });
  return {
    call: callAs(person, 'api/v1'),
    internal: callAs(service, 'internal'),
    token: (as) => mint({ ...person, ...as }),
  };
}
