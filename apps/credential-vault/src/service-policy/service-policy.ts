import { type Principal, Problem } from '#libs/service-kit';
import { type ConsumerKind, consumerKinds } from '../credential-store/credential-binding.entity.js';

/**
 * What a service may do. `resolve`: by a binding; `resolve_signing`: by a binding, only signing fields;
 * `resolve_unbound`: without a binding, only unprotected fields; `manage`: oauth2 credentials that it creates for its
 * consumers, and no others; `reveal`: any field, with a reason; `keys`: key rotation.
 */
export const serviceActions = [
  'resolve',
  'resolve_signing',
  'resolve_unbound',
  'bind',
  'manage',
  'reveal',
  'keys',
] as const;
export type ServiceAction = (typeof serviceActions)[number];

export type PolicyRules = Record<string, { may: ServiceAction[]; consumers: ConsumerKind[] }>;

/** By default, no service may reveal fields or resolve unbound credentials. */
export const defaultPolicy: PolicyRules = {
  'adapter-gateway': { may: ['resolve', 'bind'], consumers: ['app'] },
  'webhook-ingress': { may: ['resolve_signing'], consumers: ['app'] },
  engine: { may: ['resolve', 'bind'], consumers: ['skill', 'mcp_server', 'provider'] },
  'mcp-registry': { may: ['resolve', 'bind', 'manage'], consumers: ['skill', 'mcp_server'] },
  'credential-vault': { may: ['keys'], consumers: [] },
};

/** Which service may ask the vault for what. The token identifies the service. */
export class ServicePolicy {
  constructor(private readonly rules: PolicyRules) {}

  allows({ subject }: Pick<Principal, 'subject'>, action: ServiceAction, kind: ConsumerKind | null = null): boolean {
    if (!subject.startsWith('service:')) return false;
    const rule = new Map(Object.entries(this.rules)).get(subject.replace(/^service:/, ''));
    return rule !== undefined && rule.may.includes(action) && (kind === null || rule.consumers.includes(kind));
  }

  /** @throws Problem 403 `not_in_policy` */
  check(caller: Pick<Principal, 'subject'>, action: ServiceAction, kind: ConsumerKind | null = null): void {
    if (this.allows(caller, action, kind)) return;
    const { subject } = caller;
    const what = kind === null ? action : `${action} for a ${kind}`;
    throw new Problem(403, 'not_in_policy', `${subject} may not ${what}: SERVICE_POLICY does not allow it.`);
  }
}

/**
 * Reads `{service: {"may": [...], "consumers": [...]}}`. An entry replaces that service's default.
 * @throws Error that says what is wrong
 */
export function readPolicy(value: unknown): PolicyRules {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('is not an object');
  const rules: PolicyRules = { ...defaultPolicy };
  for (const [service, given] of Object.entries(value)) {
    const { may = [], consumers = [] } = (given ?? {}) as { may?: unknown; consumers?: unknown };
    rules[service] = {
      may: listOf(serviceActions, may, `${service}.may`),
      consumers: listOf(consumerKinds, consumers, `${service}.consumers`),
    };
  }
  return rules;
}

function listOf<T extends string>(known: readonly T[], given: unknown, name: string): T[] {
  const isKnown = (entry: unknown): entry is T => (known as readonly unknown[]).includes(entry);
  if (Array.isArray(given) && given.every(isKnown)) return given;
  throw wrong(`${name} is not a list of ${known.join(', ')}`);
}

const wrong = (what: string): Error => new Error(`SERVICE_POLICY: ${what}`);
