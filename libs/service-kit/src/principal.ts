import type { ProjectScope } from '#libs/contracts';
import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/**
 * What a caller may do. `<resource>:read` and `<resource>:write`; `events:read_body` for what was received, byte for
 * byte, which `events:write` does not include; `agents:ask` to ask published agents over A2A and MCP; `audit:read` for who changed what; `members:manage`,
 * `organizations:write` and `projects:write` for people and what they work in. `admin` includes all of those.
 * `approvals:manage` lets agents do more on their own and names who approves; `admin` does not include it, so that it
 * is granted explicitly. `service` and `credentials:reveal` are for services only: no key has them, and `admin` does
 * not include them.
 */
export type Scope =
  | `${'apps' | 'workflows' | 'agents' | 'events' | 'deliveries' | 'credentials' | 'channels' | 'contacts' | 'keys' | 'tools' | 'knowledge' | 'alerts'}:${'read' | 'write'}`
  | 'agents:ask'
  | 'approvals:decide'
  | 'approvals:manage'
  | 'audit:read'
  | 'members:read'
  | 'members:manage'
  | 'organizations:write'
  | 'projects:write'
  | 'events:read_body'
  | 'admin'
  | 'credentials:reveal'
  | 'service';

/** The caller, and the organization and project in which it calls. Every query is scoped by it. */
export interface Principal extends ProjectScope {
  /** `key:<id>`, `user:<id>` or `service:<name>`. */
  subject: string;
  /**
   * Who is behind a key: `user:<id>` of the member who made it, or made the keys that made it; if no member did,
   * `key:<id>` of the first key of that chain. Absent: the caller is no key.
   */
  person?: string;
  scopes: Scope[];
  /** Of the request that it came with. Absent: it did not come over HTTP. */
  requestId?: string;
  /** How old the rows of a list may be that this request asks for. Absent: it asks for what is there now. */
  mayLagMs?: number;
}

/** A lasting identity for the caller: who is behind a key, because whoever may make keys has any number of them. */
export function askerOf({ person, subject }: Pick<Principal, 'person' | 'subject'>): string {
  return person ?? subject;
}

/**
 * Whether the caller reaches every project of the organization, as its members do; otherwise only the one it calls in.
 */
export function reachesOrganization({ scopes, subject }: Pick<Principal, 'scopes' | 'subject'>): boolean {
  return scopes.includes('admin') || subject.startsWith('user:');
}

export const scopesKey = 'gatehouse:scopes';
export const publicKey = 'gatehouse:public';
export const onceKey = 'gatehouse:once';

/** The scopes that a caller needs, all of them; the description names them. A route without this is refused at boot. */
export const RequireScopes = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(scopesKey, scopes), ApiSecurity('bearer', scopes));

/** A route that anyone may call. */
export const PublicRoute = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(publicKey, true), ApiSecurity({}));

/** Routes that accept each service token once: an intercepted token is worth nothing there. */
export const TokenOnce = (): MethodDecorator & ClassDecorator => SetMetadata(onceKey, true);

export interface AuthenticatedRequest extends FastifyRequest {
  principal?: Principal;
}

/** The caller, as a handler's argument. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const principal = context.switchToHttp().getRequest<AuthenticatedRequest>().principal;
  if (!principal) throw new Error('Caller is used on a route without authentication');
  return principal;
});
