import { mayLagHeader, type ProjectScope } from '#libs/contracts';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type AuthenticatedRequest, onceKey, type Principal, publicKey, type Scope, scopesKey } from './principal.js';
import { Problem } from './problem.js';
import { ServiceTokens } from './service-tokens.js';

/** Authenticates every route by a service token and checks its scopes. Closed unless a route says otherwise. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly tokens: ServiceTokens,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(publicKey, targets)) return true;
    const wanted = this.reflector.getAllAndOverride<Scope[] | undefined>(scopesKey, targets);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (!token) throw new Problem(401, 'not_authenticated', 'Send an API key: Authorization: Bearer gh_...');
    const once = this.reflector.getAllAndOverride<boolean>(onceKey, targets);
    const tenant = tenantOf(request);
    const verified = once ? this.tokens.verifyOnce(token, tenant) : this.tokens.verify(token, tenant);
    const principal = await verified.catch(() => {
      throw new Problem(401, 'not_authenticated', 'The token is not valid here, has expired, or was used.');
    });
    request.principal = { ...principal, requestId: request.id, ...lagOf(request) };
    const held = request.principal.scopes;
    const missing = wanted ? wanted.filter((scope) => !holds(held, scope)) : ['(none declared)'];
    if (missing.length > 0) throw new Problem(403, 'scope_missing', `This needs the scope ${missing.join(', ')}.`);
    return true;
  }
}

/** Only of a read: who changes something is never shown what was there before. */
function lagOf({ method, headers }: AuthenticatedRequest): Pick<Principal, 'mayLagMs'> {
  const mayLagMs = Number(headers[mayLagHeader]);
  return method === 'GET' && mayLagMs > 0 ? { mayLagMs } : {};
}

function tenantOf({ headers }: AuthenticatedRequest): ProjectScope {
  const { 'x-organization-id': organizationId, 'x-project-id': projectId } = headers;
  return { organizationId: String(organizationId ?? ''), projectId: String(projectId ?? '') };
}

/** What `admin` does not include: what is for services only, and the right over others' approvals. */
export const notInAdmin: readonly Scope[] = ['service', 'credentials:reveal', 'approvals:manage'];

/**
 * Whether a caller's scopes include one: `x:write` and `members:manage` include `x:read`, `admin` all but `notInAdmin`.
 */
export function holds(held: readonly Scope[], wanted: Scope): boolean {
  if (held.includes(wanted)) return true;
  if (notInAdmin.includes(wanted)) return false;
  if (held.includes('admin')) return true;
  if (wanted === 'members:read') return held.includes('members:manage');
  return wanted.endsWith(':read') && held.includes(wanted.replace(':read', ':write') as Scope);
}
