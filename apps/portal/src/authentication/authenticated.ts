import { type Principal, Problem } from '#libs/service-kit';
import type { Project } from '../projects/project.entity.js';

/** A caller, and what entitles it. */
export interface Authenticated {
  principal: Principal;
  /**
   * `key:<id>:<role of its maker>` or `session:<id>:<organization>:<role>`. Requests that stay open are checked by it
   * again.
   */
  holder: string;
  /** Null where the caller's own credential implies that the project is open. */
  project: Project | null;
}

export function refused(detail: string): Problem {
  return new Problem(401, 'not_authenticated', detail, [], { 'www-authenticate': 'Bearer' });
}

export function notSignedIn(): Problem {
  return new Problem(401, 'not_signed_in', 'You are not signed in, or the session has ended: sign in.');
}

export function outOfReach(what: 'organization' | 'project', who: 'key' | 'session'): Problem {
  const header = what === 'organization' ? 'X-Organization-Id' : 'X-Project-Id';
  return new Problem(404, `${what}_not_found`, `This ${who} has no access to a ${what} with the id in ${header}.`);
}
