import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/**
 * What a caller may do. `<resource>:read` and `<resource>:write`; `events:read_body` for what was received, byte for byte,
 * which `events:write` does not include; `audit:read` for who changed what; `members:manage`, `organizations:write` and
 * `projects:write` for people and what they work in; `admin` includes all of those. `approvals:manage`
 * lets agents do more by themselves, and names who approves: `admin` does not include it, so that it is given by name.
 * `service` and `credentials:reveal` are for services alone: no key has them, and `admin` does not include them.
 */
export type Scope =
  | `${'apps' | 'workflows' | 'agents' | 'events' | 'deliveries' | 'credentials' | 'channels' | 'contacts' | 'keys' | 'tools' | 'knowledge'}:${'read' | 'write'}`
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

/** Who calls, within which organization and project. Every query is scoped by it. */
export interface Principal {
  /** `key:<id>`, `user:<id>` or `service:<name>`. */
  subject: string;
  /** `user:<id>` of the member whose key it is; absent: no member made it. */
  person?: string;
  organizationId: string;
  projectId: string;
  scopes: Scope[];
  /** Of the request that it calls with. Absent: it is none that came over HTTP. */
  requestId?: string;
}

/** Who asks for something, for all time: whoever made the key that they ask by, since people have keys as they like. */
export function askerOf({ person, subject }: Pick<Principal, 'person' | 'subject'>): string {
  return person ?? subject;
}

/** Whether the caller reaches every project of the organization, as its members do; else the one it calls in. */
export function reachesOrganization({ scopes, subject }: Pick<Principal, 'scopes' | 'subject'>): boolean {
  return scopes.includes('admin') || subject.startsWith('user:');
}

export const scopesKey = 'gatehouse:scopes';
export const publicKey = 'gatehouse:public';
export const onceKey = 'gatehouse:once';

/** The scopes of which the caller needs each, which its description names; a route without this is refused at boot. */
export const RequireScopes = (...scopes: Scope[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(scopesKey, scopes), ApiSecurity('bearer', scopes));

/** A route that anyone may call. */
export const PublicRoute = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(publicKey, true), ApiSecurity({}));

/** Routes that take each token of a service once: what was overheard is worth nothing there. */
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
